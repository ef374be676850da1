"""The rows of requests: from their arrival to the answer that a program fetched."""
