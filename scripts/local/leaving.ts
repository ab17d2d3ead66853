// When the process is to end: it is told so, its terminal is closed, or npm is told so. npm passes a signal on to the shell
// between them, which dies of it and tells nobody.

const LOOK_MS = 200

/** Aborted by the first of them. */
export function whenToLeave(): AbortSignal {
  const leaving = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => leaving.abort())
  const shell = process.ppid
  // Whoever runs the script without npm may leave it running.
  const isOfNpm = process.env['npm_lifecycle_event'] !== undefined
  if (isOfNpm) setInterval(() => process.ppid === shell || leaving.abort(), LOOK_MS).unref()
  return leaving.signal
}
