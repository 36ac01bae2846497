/** How a request fails. */
'use strict';

/** A request failed; `kind` says at what. */
class Failed extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/** Any error inside becomes a failure of this kind. */
async function failing(kind, work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failed) throw error;
    const failed = new Failed(kind, String((error && error.message) || error));
    failed.stack = (error && error.stack) || failed.stack;
    throw failed;
  }
}

module.exports = { Failed, failing };
