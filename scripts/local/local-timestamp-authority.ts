// A timestamp authority of the local Worker's public log. It has this machine's time, so it shows how timestamps work and vouches
// for nothing.
import { join } from 'node:path'
import { keepAuthority } from '../timestamp-authority/kept-authority.ts'
import { startAuthority } from '../timestamp-authority/server.ts'
import type { Companion } from './companions.ts'
import type { Settings } from './dev-vars.ts'

/** `certificateFile`: what `countersign-verify` takes as `--authority`. */
export type LocalAuthority = Companion & { certificateFile: string }

/**
 * Null where the settings name an authority of their own.
 *
 * @param state the folder of the local storage, in which its certificates are kept
 */
export async function startLocalAuthority(settings: Settings, state: string): Promise<LocalAuthority | null> {
  if ('TIMESTAMP_AUTHORITY' in settings) return null
  const { authority, certificateFile } = await keepAuthority(join(state, 'timestamp-authority'))
  const running = await startAuthority(authority)
  const { url } = running
  return { settings: { TIMESTAMP_AUTHORITY: url }, url, certificateFile, close: () => running.close() }
}
