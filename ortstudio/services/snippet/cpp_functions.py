"""The functions that C++ code calls: they make zeros, and print what came out."""

from __future__ import annotations

READ = """\
std::vector<char> ReadFile(const ORTCHAR_T* path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<char> bytes(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}""".splitlines()

ZEROS = """\
template <typename T>
Ort::Value Zeros(const std::vector<int64_t>& shape) {
  Ort::AllocatorWithDefaultOptions allocator;
  Ort::Value value = Ort::Value::CreateTensor<T>(allocator, shape.data(), shape.size());
  std::fill_n(value.GetTensorMutableData<T>(),
              value.GetTensorTypeAndShapeInfo().GetElementCount(), T{});
  return value;
}""".splitlines()

STRINGS = """\
// Empty strings: yours go in with FillStringTensorElement().
Ort::Value Strings(const std::vector<int64_t>& shape) {
  Ort::AllocatorWithDefaultOptions allocator;
  return Ort::Value::CreateTensor(allocator, shape.data(), shape.size(),
                                  ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
}""".splitlines()

RAW_ZEROS = """\
// Zero bytes, for types that C++ lacks; elements below 8 bits are packed, the first one lowest.
Ort::Value Raw(const std::vector<int64_t>& shape, ONNXTensorElementDataType type) {
  Ort::AllocatorWithDefaultOptions allocator;
  Ort::Value value = Ort::Value::CreateTensor(allocator, shape.data(), shape.size(), type);
  std::memset(value.GetTensorMutableRawData(), 0, value.GetTensorSizeInBytes());
  return value;
}""".splitlines()

SEQUENCE = """\
Ort::Value Sequence(Ort::Value element) {
  std::vector<Ort::Value> elements;
  elements.push_back(std::move(element));
  return Ort::Value::CreateSequence(elements);
}""".splitlines()

SHAPE = """\
size_t PrintShape(const char* name, const Ort::Value& value) {
  const auto info = value.GetTensorTypeAndShapeInfo();
  std::cout << name << " [";
  const char* separator = "";
  for (const int64_t size : info.GetShape()) {
    std::cout << separator << size;
    separator = ", ";
  }
  std::cout << "]:";
  return std::min<size_t>(info.GetElementCount(), 10);
}""".splitlines()

PRINT = """\
// The first ten elements.
template <typename T>
void Print(const char* name, const Ort::Value& value) {{
  const size_t count = PrintShape(name, value);
  const T* data = value.GetTensorData<T>();
  for (size_t i = 0; i < count; ++i) std::cout << ' ' << {shown};
  std::cout << '\\n';
}}""".splitlines()

PRINT_STRINGS = """\
void PrintStrings(const char* name, const Ort::Value& value) {
  const size_t count = PrintShape(name, value);
  for (size_t i = 0; i < count; ++i) std::cout << " \\"" << value.GetStringTensorElement(i) << '"';
  std::cout << '\\n';
}""".splitlines()

PRINT_BYTES = """\
// The first bytes, for types that C++ lacks.
void PrintBytes(const char* name, const Ort::Value& value) {
  const size_t count = std::min(PrintShape(name, value), value.GetTensorSizeInBytes());
  const auto* data = static_cast<const uint8_t*>(value.GetTensorRawData());
  for (size_t i = 0; i < count; ++i) std::cout << ' ' << +data[i];
  std::cout << '\\n';
}""".splitlines()
