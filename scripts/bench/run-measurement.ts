// What every bench and long test does around its work: it explains itself, refuses what it cannot do, and works in a folder of
// its own that is gone afterwards.
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

export type Measurement = {
  help: string
  isHelpWanted: boolean
  /** Why it cannot run with these options; null where it can. */
  refusal: string | null
  run: (folder: string) => Promise<void>
}

/** Exits with 2 where it refuses. */
export async function runMeasurement({ help, isHelpWanted, refusal, run }: Measurement): Promise<void> {
  if (isHelpWanted) return console.log(help)
  if (refusal !== null) {
    console.error(`${refusal}\n\n${help}`)
    process.exitCode = 2
    return
  }
  const folder = await mkdtemp(join(tmpdir(), 'countersign-measurement-'))
  process.setMaxListeners(MOST_LISTENERS)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  for (const signal of ENDINGS) process.once(signal, () => process.exit(128 + constants.signals[signal]))
  await run(folder)
}

/** Each process that is started and each folder is ended with this one. */
const MOST_LISTENERS = 50

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
