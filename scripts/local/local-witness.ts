// A witness of the local Worker's public log. It is on the machine of its log, so it shows how witnesses work and watches nothing.
import { join } from 'node:path'
import { readLogConfig } from '../../src/public-log/log-config.ts'
import { formatVkey, noteKeyNamed } from '../../src/evidence/checkpoint/note-key.ts'
import { ConfigError, readConfig } from '../../src/platform/config.ts'
import { startWitness } from '../witness/server.ts'
import type { Companion } from './companions.ts'
import type { Settings } from './dev-vars.ts'

const NAME = 'witness.local'

export type LocalWitness = Companion & {
  vkey: string
  /** The vkeys of the log's keys, which it watches. */
  logs: readonly string[]
}

/**
 * Null where the settings name witnesses of their own, or give the log no key.
 *
 * @param state the folder of the local storage: a log that begins anew has a witness that does too
 */
export async function startLocalWitness(settings: Settings, state: string): Promise<LocalWitness | null> {
  const logs = 'WITNESSES' in settings ? [] : logVkeys(settings)
  if (logs.length === 0) return null
  const witness = await startWitness({ folder: join(state, 'witness'), name: NAME, logs })
  const { url, vkey } = witness
  return { settings: { WITNESSES: JSON.stringify([{ vkey, url }]) }, url, vkey, logs, close: () => witness.close() }
}

function logVkeys(settings: Settings): string[] {
  const all = { ENVIRONMENT: 'local', JURISDICTIONS: 'off', ...settings }
  try {
    const { log } = readLogConfig(all, readConfig(all))
    return log === null
      ? []
      : log.keys.history.map((key) => formatVkey(noteKeyNamed(log.origin, 'ed25519', key.public_key)))
  } catch (thrown) {
    // The Worker is started with the same settings, and says which of them are wrong.
    if (thrown instanceof ConfigError) return []
    throw thrown
  }
}
