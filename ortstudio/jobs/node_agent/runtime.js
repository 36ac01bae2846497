/** onnxruntime-node or onnxruntime-web as a package, and sessions on the CPU. */
'use strict';

const fs = require('fs');
const os = require('os');
const path = require('path');
const { Failed, failing } = require('./failures');
const { typeText } = require('./values');

const PACKAGES = { node: 'onnxruntime-node', web: 'onnxruntime-web' };
const PROVIDERS = { node: 'cpu', web: 'wasm' };
const LEVELS = { disable: 'disabled', layout: 'all' };

class Runtime {
  constructor(kind, folder) {
    this.kind = kind;
    this.package = path.join(folder, 'node_modules', PACKAGES[kind] || kind);
    this.provider = PROVIDERS[kind];
    this.kept = null;
    this.keptKey = '';
  }

  /** Such as `onnxruntime-node 1.23.2`. */
  get name() {
    return `${PACKAGES[this.kind]} ${this.version}`;
  }

  get version() {
    const manifest = fs.readFileSync(path.join(this.package, 'package.json'), 'utf8');
    return JSON.parse(manifest).version;
  }

  /** The package, loaded once it is needed. */
  import() {
    try {
      const found = require(this.package);
      // Its threads would each be a worker of Node, with a start that no run is worth.
      if (this.kind === 'web') found.env.wasm.numThreads = 1;
      return found;
    } catch (error) {
      throw new Failed('import', error.message);
    }
  }

  described() {
    const found = this.import();
    const listed = found.listSupportedBackends ? found.listSupportedBackends() : [];
    const names = listed.map((backend) => backend.name);
    return {
      onnxruntime: this.version,
      package: path.join(this.package, 'package.json'),
      providers: names.length ? names : [this.provider],
      build_info: '',
      numpy: '',
      python: '',
      executable: process.execPath,
      platform: `node ${process.version}, ${os.platform()} ${os.arch()}`,
    };
  }

  /** Two sessions at a time would need twice the memory. */
  forget() {
    const before = this.kept;
    this.kept = null;
    if (before && before.handle.release) before.handle.release();
  }

  /** The session kept from the last request where it is the same one, else a new one. */
  async session(spec) {
    const status = await failing('load', () => fs.promises.stat(spec.model));
    const key = JSON.stringify([spec, status.size, status.mtimeMs, status.ino]);
    if (!this.kept || key !== this.keptKey) {
      this.forget();
      const start = process.hrtime.bigint();
      const handle = await failing('load', () => this.open(spec));
      this.kept = { handle, loadNs: Number(process.hrtime.bigint() - start) };
      this.keptKey = key;
    }
    return this.kept;
  }

  async open(spec) {
    return this.create(spec, await this.model(spec));
  }

  /** A session of a path or of bytes. */
  create(spec, model) {
    this.refuse(spec);
    return this.import().InferenceSession.create(model, {
      executionProviders: [this.provider],
      graphOptimizationLevel: LEVELS[spec.level] || spec.level,
      logSeverityLevel: 3,
      extra: nested(spec.config || {}),
    });
  }

  /**
   * A path only where its extension is right, since a path is told by that alone, bytes by what they
   * hold. Weights in other files are found by a path.
   */
  async model(spec) {
    const format = (spec.config || {})['session.load_model_format'];
    const extension = path.extname(spec.model);
    if (this.kind === 'node' && format === 'ONNX' && extension === '.onnx') return spec.model;
    return new Uint8Array(await fs.promises.readFile(spec.model));
  }

  /** What is asked for and cannot be had is not left out without a word. */
  refuse(spec) {
    if (spec.custom_ops) {
      throw new Failed('unsupported', `${this.name} cannot load custom operator libraries`);
    }
    // The blocked layout, which is always to be left out, makes no difference to a run.
    const left = (spec.disabled_optimizers || []).filter((name) => name !== 'NchwcTransformer');
    if (left.length) {
      throw new Failed('unsupported', `${this.name} cannot leave out ${left.join(', ')}`);
    }
    if (spec.providers && spec.providers.length) {
      throw new Failed('unsupported', `${this.name} is asked for the CPU alone`);
    }
  }

  /** What a model takes and gives; packages before 1.21 know the names alone. */
  static ends(handle) {
    const end = (names, metadata) =>
      names.map((name, index) => ({
        name,
        type: typeText(metadata && metadata[index]),
        shape: (metadata && metadata[index] && metadata[index].shape) || null,
      }));
    return {
      inputs: end(handle.inputNames, handle.inputMetadata),
      outputs: end(handle.outputNames, handle.outputMetadata),
    };
  }
}

/** `{'session.x.y': '1'}` as the packages take it: `{session: {x: {y: '1'}}}`. */
function nested(config) {
  const found = {};
  for (const [key, value] of Object.entries(config)) {
    const parts = key.split('.');
    const last = parts.pop();
    let place = found;
    for (const part of parts) place = place[part] = place[part] || {};
    place[last] = value;
  }
  return found;
}

module.exports = { Runtime };
