// The cards below the components: the newest head of the public log with the check of its signature, and the age of the figures.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { PublishedKeyHistory } from '../../evidence/records/attestation.schema.ts'
import { KEY_LIST_FAULTS, readKeyList } from '../../evidence/records/key-list.ts'
import { HEAD_FAULTS, verifyHead, type PublicHead } from '../../evidence/records/tree-head.ts'
import { Skeleton } from '../parts/answer-notices.view.tsx'
import { Badge } from '../parts/badge.view.tsx'
import { CopyButton } from '../parts/copy-button.view.tsx'
import { Facts } from '../parts/page-blocks.view.tsx'
import { formatDay, formatMoment, formatRelative, plural } from '../text/format.ts'
import { bodyOf } from '../api/send-request.ts'
import { DAY_MS } from '../text/day.ts'
import type { Components } from './ask-components.ts'
import { Hash, Text, Note } from '../parts/layout.view.tsx'

/** `unknown`: the head or the keys did not answer. */
export type HeadCheck = { state: 'unknown' | 'checking' | 'valid' } | { state: 'not valid'; fault: string }

/** Checks the head after the answers are drawn, because a slow processor takes long for it. */
export function useHeadCheck({ head, keys }: Components): HeadCheck {
  const [read, list] = [bodyOf(head?.answer), bodyOf(keys?.answer)]
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

/** Returns why no published key has signed the head; null if one has. It runs countersign-verify's own code. */
function findHeadFault(head: PublicHead, keys: PublishedKeyHistory): string | null {
  const list = readKeyList(keys)
  if (!list.ok) return KEY_LIST_FAULTS[list.fault]
  const verdict = verifyHead(head, { keys: [], list: list.keys })
  if (!verdict.valid) return HEAD_FAULTS[verdict.fault]
  return verdict.orgId === null ? null : 'It is the head of the log of an organisation.'
}

export function LogHead({ head, keys, check }: Components & { check: HeadCheck }) {
  const read = bodyOf(head?.answer)
  if (head === null || keys === null || check.state === 'checking') return <Skeleton lines={8} />
  if (read === null) return <p>Not known: the log did not answer.</p>
  const signed = new Date(read.timestamp)
  return (
    <Facts
      facts={[
        ['Signature', <Signature check={check} />],
        [
          'Signed',
          <>
            <time dateTime={read.timestamp}>{formatMoment(signed, false)}</time>, {formatRelative(signed, head.at)}
          </>,
        ],
        ['Size', plural(read.tree_size, 'entry', 'entries')],
        [
          'Root hash',
          <>
            <Hash title={read.root_hash}>
              {read.root_hash.slice(0, 20)}…{read.root_hash.slice(-8)}
            </Hash>{' '}
            <CopyButton text={read.root_hash} what="the whole root hash" />
          </>,
        ],
        [
          'Key',
          <>
            <Hash>{read.key_id}</Hash> <Note>{bodyOf(keys?.answer)?.note}</Note>
          </>,
        ],
      ]}
    />
  )
}

/** Green only after the check: the head is one that a key of the list has signed. */
function Signature({ check }: { check: HeadCheck }) {
  const [tone, word, why] =
    check.state === 'valid'
      ? (['good', 'Valid', 'Checked in this browser, by the keys that the service publishes.'] as const)
      : check.state === 'not valid'
        ? (['bad', 'Not valid', check.fault] as const)
        : ([undefined, 'Not checked', 'The signing keys did not answer.'] as const)
  return (
    <>
      <Badge tone={tone}>{word}</Badge> <Text size="small">{why}</Text>
    </>
  )
}

export function Figures({ health }: Components) {
  const body = bodyOf(health?.answer)
  if (health === null) return <Skeleton lines={2} />
  if (body === null) return <p>Not known while the service does not answer.</p>
  if (body.dataset === null) return <p>No figures are published, or the storage did not say in time which.</p>
  const { archiveDate, publishedOn } = body.dataset
  const age = Math.floor((health.at.getTime() - new Date(archiveDate).getTime()) / DAY_MS)
  return (
    <Facts
      facts={[
        ['Age', `${plural(age, 'day')} since the day they count`],
        ['Archive date', formatDay(archiveDate)],
        ['Published', formatDay(publishedOn)],
      ]}
    />
  )
}
