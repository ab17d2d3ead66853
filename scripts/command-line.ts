// Reads the command line of a command. parseArgs throws at what it does not know.

/** Returns what was read, or a sentence that says why nothing could be. */
export function readCommandLine<Read extends object>(read: () => Read): Read | string {
  try {
    return read()
  } catch (error) {
    return error instanceof Error ? error.message : 'The command line could not be read.'
  }
}
