// The worker of workerd.test.mjs: it compares what is posted to it.

import * as api from "robosieve";
import { differences } from "./equality.mjs";

export default {
  async fetch(request) {
    return Response.json(await differences(api, await request.json()));
  },
};
