"""The robots.txt files of archives as Parquet: `spark-submit job.py OUT ARCHIVE…`."""

import sys

from pyspark.sql import SparkSession
from robosieve import spark as robots

out, *archives = sys.argv[1:]
session = SparkSession.builder.appName("robots").getOrCreate()
robots.warc(session, archives, "MyBot").write.parquet(out)
