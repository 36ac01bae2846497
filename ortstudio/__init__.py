"""ORT Studio: see, convert and prove ONNX Runtime's ORT-format models."""

__version__ = "0.1.0"
