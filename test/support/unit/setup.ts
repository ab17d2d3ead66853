// Every test starts from empty storage: one shared runtime, wiped after each.
import { reset } from 'cloudflare:test'
import { afterEach, inject } from 'vitest'
import { openFeatures } from './object-features.ts'
import { forgetTables } from './tables.ts'

declare module 'vitest' {
  interface ProvidedContext {
    showsLogs: boolean
  }
}

// The runner is sent each line, and one that comes after a file's last test makes a green run fail or never end
// (github.com/vitest-dev/vitest/issues/11153, github.com/cloudflare/workers-sdk/issues/15719). TEST_LOGS=1 sends them.
if (!inject('showsLogs')) for (const method of ['log', 'error'] as const) console[method] = () => undefined

openFeatures()

afterEach(async () => {
  await reset()
  forgetTables()
})
