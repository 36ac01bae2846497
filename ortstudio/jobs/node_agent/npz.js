/**
 * Files of arrays as numpy writes them: a zip of `.npy` entries.
 *
 * Read are entries that are stored or deflated; written are stored ones below 4 GiB. Bytes are
 * little-endian on either side, as are all machines that ONNX Runtime has packages for.
 */
'use strict';

const fs = require('fs');
const zlib = require('zlib');

const MAGIC = Buffer.from('\x93NUMPY', 'latin1');

/** Name → the bytes of the array, alone in their buffer so that any type may view them. */
function readNpz(file) {
  const zip = fs.readFileSync(file);
  const arrays = new Map();
  for (const entry of entries(zip)) {
    arrays.set(entry.name.replace(/\.npy$/, ''), contents(content(zip, entry)));
  }
  return arrays;
}

/** The central directory, which holds the sizes even where the local headers do not. */
function* entries(zip) {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error('this is no zip file');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Error('the zip file is damaged');
    const [name, extra, comment] = [28, 30, 32].map((place) => zip.readUInt16LE(at + place));
    yield {
      name: zip.toString('utf8', at + 46, at + 46 + name),
      method: zip.readUInt16LE(at + 10),
      size: zip.readUInt32LE(at + 20),
      offset: zip.readUInt32LE(at + 42),
    };
    at += 46 + name + extra + comment;
  }
}

function content(zip, { method, size, offset }) {
  const start = offset + 30 + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28);
  const bytes = zip.subarray(start, start + size);
  return method === 8 ? zlib.inflateRawSync(bytes) : bytes;
}

/** The data of a `.npy` file; its type and shape are known from elsewhere. */
function contents(npy) {
  if (!npy.subarray(0, 6).equals(MAGIC)) throw new Error('an entry is no .npy file');
  const isLong = npy[6] > 1;
  const size = isLong ? npy.readUInt32LE(8) : npy.readUInt16LE(8);
  const start = (isLong ? 12 : 10) + size;
  if (/'fortran_order': True/.test(npy.toString('latin1', 8, start))) {
    throw new Error('an array is stored by columns');
  }
  return new Uint8Array(npy.subarray(start));
}

/** Write arrays of {type, bytes, shape}; without a shape they are rows. */
function writeNpz(file, arrays) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, array] of arrays) {
    const npy = Buffer.concat([npyHeader(array), array.bytes]);
    const title = Buffer.from(`${name}.npy`, 'utf8');
    const facts = zipFacts(npy, title);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, title]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const version = Buffer.from([20, 0]);
    directory.push(Buffer.from('PK\x01\x02', 'latin1'), version, facts, place, title);
    parts.push(local, npy);
    offset += local.length + npy.length;
  }
  const listed = Buffer.concat(directory);
  fs.writeFileSync(file, Buffer.concat([...parts, listed, zipEnd(arrays.size, listed, offset)]));
}

/** Version 1 of the format; data begins at a multiple of 64 bytes. */
function npyHeader({ type, bytes, shape }) {
  const dims = shape || [bytes.length / Number(type.slice(2))];
  const tuple = `(${dims.join(', ')}${dims.length === 1 ? ',' : ''})`;
  const text = `{'descr': '${type}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const size = Math.ceil((10 + text.length + 1) / 64) * 64;
  const header = Buffer.alloc(size, ' ');
  MAGIC.copy(header);
  header[6] = 1;
  header[7] = 0;
  header.writeUInt16LE(size - 10, 8);
  header.write(text, 10, 'latin1');
  header[size - 1] = 10;
  return header;
}

/** What local header and directory say alike: 26 bytes from the needed version on. */
function zipFacts(bytes, title) {
  if (bytes.length > 0xffffffff) throw new Error('an array is larger than 4 GiB');
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(20, 0);
  facts.writeUInt16LE(0x800, 2); // Names are UTF-8.
  facts.writeUInt16LE(0x21, 8); // The first of January 1980, the least that a zip can say.
  facts.writeUInt32LE(crc32(bytes), 10);
  facts.writeUInt32LE(bytes.length, 14);
  facts.writeUInt32LE(bytes.length, 18);
  facts.writeUInt16LE(title.length, 22);
  return facts;
}

function zipEnd(count, listed, offset) {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}

const CRCS = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes) {
  if (zlib.crc32) return zlib.crc32(bytes);
  let value = 0xffffffff;
  for (const byte of bytes) value = CRCS[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

module.exports = { readNpz, writeNpz };
