"""The model file, the record of a run, training from files, scoring, ONNX export."""
