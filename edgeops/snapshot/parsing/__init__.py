"""One small pure function an answer: text in, a value out, None where it says nothing. None of them ever raises."""
