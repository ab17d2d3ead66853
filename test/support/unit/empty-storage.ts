// Every test starts from empty storage: one shared runtime, wiped after each.
import { reset } from 'cloudflare:test'
import { afterEach } from 'vitest'
import { openFeatures } from './object-features.ts'
import { forgetTables } from './tables.ts'

openFeatures()

afterEach(async () => {
  await reset()
  forgetTables()
})
