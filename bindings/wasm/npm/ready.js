// Where the module is started at import.

/** For programs that run in browsers too: there it loads the module. */
export async function init() {}
