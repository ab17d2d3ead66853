// What is known of the invented year of this storage. Secrets are shown only once, so this machine keeps them beside it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FilledYearSchema, type FilledYear } from './fill-year.ts'

const fileIn = (state: string): string => join(state, 'demo-year.json')

/** Null where no year was ever full. */
export function readYear(state: string): FilledYear | null {
  try {
    return FilledYearSchema.parse(JSON.parse(readFileSync(fileIn(state), 'utf8')))
  } catch {
    return null
  }
}

export const writeYear = (state: string, filled: FilledYear): void =>
  writeFileSync(fileIn(state), `${JSON.stringify(filled, null, 2)}\n`, { mode: 0o600 })
