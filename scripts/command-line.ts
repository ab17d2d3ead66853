// The command line of a command, read by parseArgs, which throws at what it does not know.

/** What was read, or the sentence that says why it could not be. */
export function readCommandLine<Read extends object>(read: () => Read): Read | string {
  try {
    return read()
  } catch (error) {
    return error instanceof Error ? error.message : 'The command line could not be read.'
  }
}
