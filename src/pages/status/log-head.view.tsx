// The card of the public log: its newest head with the check of its signature, and who says to have cosigned it.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { PublicHead } from '../../evidence/records/tree-head.ts'
import { Skeleton } from '../parts/answer-notices.view.tsx'
import { CopyButton } from '../parts/copy-button.view.tsx'
import { Icon } from '../parts/icon.view.tsx'
import { blocked, proven } from '../parts/icons.ts'
import { Facts } from '../parts/page-blocks.view.tsx'
import { formatMoment, formatRelative, plural } from '../text/format.ts'
import type { Asked, Components } from './ask-components.ts'
import { findHeadFault, readCheckpoint, type Cosigner } from './check-log-head.ts'

/** `unknown`: the head or the keys are not there. */
export type HeadCheck = { state: 'unknown' | 'checking' | 'valid' } | { state: 'not valid'; fault: string }

export const bodyOf = <T,>(asked: Asked<T> | null): T | null =>
  asked?.answer.outcome === 'answered' ? asked.answer.body : null

/** Checks the head after the answers are drawn, because a slow processor takes long for it. */
export function useHeadCheck({ head, keys }: Pick<Components, 'head' | 'keys'>): HeadCheck {
  const [read, list] = [bodyOf(head), bodyOf(keys)]
  const [done, setDone] = useState<{ of: typeof read; by: typeof list; fault: string | null } | null>(null)
  useLayoutEffect(() => {
    if (read === null || list === null) return undefined
    const timer = setTimeout(() => setDone({ of: read, by: list, fault: findHeadFault(read, list) }))
    return () => clearTimeout(timer)
  }, [read, list])
  if (read === null || list === null) return { state: 'unknown' }
  if (done?.of !== read || done.by !== list) return { state: 'checking' }
  return done.fault === null ? { state: 'valid' } : { state: 'not valid', fault: done.fault }
}

export function LogHead({ components, check }: { components: Components; check: HeadCheck }) {
  const { head, keys, checkpoint } = components
  const read = bodyOf(head)
  return (
    <section class="card flush" aria-labelledby="log">
      <div class="card-head">
        <h2 id="log">Head of the public log</h2>
        {read !== null && <span class="small soft">{plural(read.tree_size, 'entry', 'entries')}</span>}
      </div>
      <div class="card-body">
        {head === null || keys === null || check.state === 'checking' ? (
          <Skeleton lines={8} />
        ) : read === null ? (
          <p>Not known: the log did not answer.</p>
        ) : (
          <HeadFacts head={read} at={head.at} note={bodyOf(keys)?.note} check={check} />
        )}
      </div>
      <div class="card-body">
        <h3>Witnesses</h3>
        {checkpoint === null ? <Skeleton lines={3} /> : <Witnesses checkpoint={bodyOf(checkpoint)} head={read} />}
      </div>
    </section>
  )
}

/** `note`: what the list of keys says about all of them. */
type HeadProps = { head: PublicHead; at: Date; note: string | undefined; check: HeadCheck }

function HeadFacts({ head, at, note, check }: HeadProps) {
  const signed = new Date(head.timestamp)
  return (
    <Facts
      facts={[
        ['Signature', <Signature check={check} />],
        [
          'Signed',
          <>
            <time dateTime={head.timestamp}>{formatMoment(signed, false)}</time>, {formatRelative(signed, at)}
          </>,
        ],
        [
          'Root hash',
          <>
            <span class="hash" title={head.root_hash}>
              {head.root_hash.slice(0, 20)}…{head.root_hash.slice(-8)}
            </span>{' '}
            <CopyButton text={head.root_hash} what="the whole root hash" />
          </>,
        ],
        [
          'Key',
          <>
            <span class="hash">{head.key_id}</span>
            {note !== undefined && <span class="soft small key-note">{note}</span>}
          </>,
        ],
      ]}
    />
  )
}

/** Green only after the check: the head is one that a key of the list has signed. */
function Signature({ check }: { check: HeadCheck }) {
  switch (check.state) {
    case 'checking':
      return null
    case 'unknown':
      return (
        <>
          <span class="badge">Not checked</span> <span class="soft small">The signing keys did not answer.</span>
        </>
      )
    case 'valid':
      return (
        <>
          <span class="badge good">
            <Icon of={proven} />
            Valid
          </span>{' '}
          <span class="soft small">Checked in this browser, by the keys that the service publishes.</span>
        </>
      )
    case 'not valid':
      return (
        <>
          <span class="badge bad">
            <Icon of={blocked} />
            Not valid
          </span>{' '}
          <span class="small">{check.fault}</span>
        </>
      )
  }
}

function Witnesses({ checkpoint, head }: { checkpoint: Uint8Array | null; head: PublicHead | null }) {
  if (checkpoint === null) return <p class="soft small">Not known: the checkpoint did not answer.</p>
  const { cosigners, fault } = readCheckpoint(checkpoint, head)
  return (
    <>
      {fault !== null && <p class="fault">{fault}</p>}
      {cosigners.length === 0 ? (
        <p class="soft small">No witness has cosigned the checkpoint.</p>
      ) : (
        <>
          <ul class="plain cosigners">
            {cosigners.map((one) => (
              <CosignerRow key={`${one.name} ${one.keyId}`} {...one} />
            ))}
          </ul>
          <p class="soft small">
            The service does not publish the keys of witnesses, so this page cannot check these signatures: use{' '}
            <a href="/docs/transparency">countersign-verify with keys that you have from the witnesses</a>.
          </p>
        </>
      )}
    </>
  )
}

const CosignerRow = ({ name, keyId, saidAt }: Cosigner) => (
  <li>
    <span>
      {name}
      <br />
      <span class="soft small">
        Key {keyId}
        {saidAt !== null && `, dated ${formatMoment(saidAt, false)}`}
      </span>
    </span>
    <span class="badge">Not checked</span>
  </li>
)
