// Loaded by every process of the tests, and by what these start, where STALLS_MS says for how long at most it is to stand still now
// and then, as on a busy machine: what depends on speed shows. No processor is used meanwhile.
const MOST_MS = Number(process.env['STALLS_MS'])
const SHARE = 0.2

const nothing = new Int32Array(new SharedArrayBuffer(4))

function stall(): void {
  if (Math.random() < SHARE) Atomics.wait(nothing, 0, 0, Math.random() * MOST_MS)
}

function stallNowAndThen(): void {
  stall()
  setTimeout(stallNowAndThen, 20 + Math.random() * 150).unref()
}
stallNowAndThen()

// Between what is asked and its way out, where short deadlines pass: once for all that is asked at the same time.
const send = globalThis.fetch
let hasStalled = false
globalThis.fetch = function fetch(...asked) {
  const answer = send(...asked)
  if (!hasStalled) {
    hasStalled = true
    setImmediate(() => (hasStalled = false))
    stall()
  }
  return answer
}
