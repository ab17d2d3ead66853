// Every test starts from empty storage: one shared runtime, wiped after each.
import { reset } from 'cloudflare:test'
import { afterEach } from 'vitest'
import { forgetTables } from './tables.ts'

afterEach(async () => {
  await reset()
  forgetTables()
})
