"""edgeops: TensorRT Edge-LLM on DGX Spark and Jetson machines over SSH, measured and reversible."""
