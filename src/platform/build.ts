// Tells which software this is: its version, the hash of its source, and the platform's id of the uploaded code and settings.
import built from '../../dist/build.json' with { type: 'json' }

/** As package.json has it. */
const VERSION = '0.1.0'

/**
 * `source_sha256`: 64 hex digits, which scripts/build-pages.ts makes before the Worker is bundled: the hash of a bundle cannot be in
 * the bundle. `worker`: null locally, where each start of the simulator makes another id.
 */
export type Software = {
  readonly name: 'countersign'
  readonly version: string
  readonly source_sha256: string
  readonly worker: { readonly id: string; readonly tag: string; readonly uploaded_at: string } | null
}

/** Returns null where nothing was built, as in unit tests: their logs say nothing of their software. */
export function describeSoftware(
  { VERSION: uploaded }: Pick<Cloudflare.Env, 'VERSION'>,
  environment: string,
): Software | null {
  if (built === null) return null
  const worker =
    uploaded === undefined || environment === 'local'
      ? null
      : { id: uploaded.id, tag: uploaded.tag, uploaded_at: uploaded.timestamp }
  return { name: 'countersign', version: VERSION, source_sha256: built.source_sha256, worker }
}

const SHOWN_DIGITS = 12

/** Returns the software in one word, as signed readings have it: version, Worker, and the first digits of the source's hash. */
export const serviceVersionOf = (software: Software | null): string =>
  `${VERSION}+${software?.worker?.id ?? 'local'}.${software?.source_sha256.slice(0, SHOWN_DIGITS) ?? 'unknown'}`

/** As /healthz shows it. */
export type ShownSoftware = { version: string; source_sha256: string | null; worker_id: string | null }

export const presentSoftware = (software: Software | null): ShownSoftware => ({
  version: VERSION,
  source_sha256: software?.source_sha256 ?? null,
  worker_id: software?.worker?.id ?? null,
})
