"""Work with the rows of a census: ``robosieve.arrow.census`` and ``robosieve.spark.census`` make them."""
