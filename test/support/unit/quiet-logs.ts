// Hides the service's log in unit tests. TEST_LOGS=1 shows it.
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    showsLogs: boolean
  }
}

// The runner is sent each line, and one that comes after a file's last test makes a green run fail or never end
// (github.com/vitest-dev/vitest/issues/11153, github.com/cloudflare/workers-sdk/issues/15719).
if (!inject('showsLogs')) for (const method of ['log', 'error'] as const) console[method] = () => undefined
