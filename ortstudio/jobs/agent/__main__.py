"""The child process that runs ONNX Runtime: this folder, or a zip of it, is started by its path."""

from ortstudio_agent.main import main

if __name__ == "__main__":
    main()
