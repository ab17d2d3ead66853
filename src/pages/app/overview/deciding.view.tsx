// Overview page of a role that decides and sees no calls of its own: the requests that wait, the latest decisions, and what else it may
// do.
import type { ComponentChildren } from 'preact'
import type { NamedApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { ask, calls, proven, save, type IconPaths } from '../../parts/icons.ts'
import { MainAndSide, Note, Row, Stack } from '../../parts/layout.view.tsx'
import { ButtonLink, CardBody, HeadedCard, PlainList, SignRow, SmallLink } from '../../parts/surfaces.view.tsx'
import { exactTime, Moment, TimeLeft } from '../../parts/times.view.tsx'
import {
  DECISION_WORDS,
  decidersOf,
  keyNameOf,
  makerOf,
  nameOfMaker,
  shortHashOf,
  STATES,
  titleOf,
  whyCannotDecide,
} from '../approvals/approval-words.ts'
import { personOf } from '../key-and-person-names.view.tsx'
import { hasPermission, hasTierFeature, inOrganisation, session, useApi } from '../session.ts'

/** @param waiting newest first */
export const Deciding = ({ waiting }: { waiting: readonly NamedApproval[] }) =>
  hasTierFeature('human_approval') ? (
    <MainAndSide>
      <Stack gap={5}>
        <Requests waiting={waiting} />
      </Stack>
      <WhatElse />
    </MainAndSide>
  ) : (
    <WhatElse />
  )

/** Those that wait are among the newest, too. */
const NEWEST = 50

const Requests = ({ waiting }: { waiting: readonly NamedApproval[] }) => (
  <>
    <Rows
      next={waiting.findLast((request) => whyCannotDecide(request) === null)}
      title="Waiting for a decision"
      of={waiting.toReversed()}
      empty="No request waits. The next one will be here, with the time that is left to decide."
      about={(request) => (
        <>
          {whyCannotDecide(request) ?? askerOf(request)}
          <br />
          Asked <time dateTime={request.created_at}>{exactTime(request.created_at)}</time>,{' '}
          <code>{shortHashOf(request)}</code>
        </>
      )}
      end={({ expires_at: until }) => (
        <>
          <TimeLeft until={until} /> left
        </>
      )}
    />
    <Answered answer={useApi<List<NamedApproval>>('/api/approvals', { limit: NEWEST })} lines={8}>
      {({ data }) => {
        const decided = data.filter(({ decisions, state }) => state !== 'pending' && decisions.length > 0)
        const own = decided.filter(({ decisions }) => decisions.some(({ decided_by: by }) => by === session().user.id))
        return (
          <Rows
            title={own.length > 0 ? 'Your latest decisions' : 'Latest decisions'}
            of={own.length > 0 ? own : decided}
            empty={`None among the newest ${NEWEST} requests. Each will be here, with who decided and how the request ended.`}
            about={decisionText}
            end={({ state }) => STATES[state].words}
          />
        )
      }}
    </Answered>
  </>
)

type RowsProps = {
  /** The oldest that this person can decide. */
  next?: NamedApproval | undefined
  title: string
  of: readonly NamedApproval[]
  empty: string
  about: (request: NamedApproval) => ComponentChildren
  end: (request: NamedApproval) => ComponentChildren
}

const SHOWN = 5

const Rows = ({ next, title, of, empty, about, end }: RowsProps) => (
  <HeadedCard
    title={title}
    act={
      <Row as="span" gap={5}>
        <SmallLink href={inOrganisation('/app/approvals')}>See all</SmallLink>
        {next !== undefined && (
          <ButtonLink look="first" href={inOrganisation(`/app/approvals?id=${next.id}`)}>
            Decide the next one
          </ButtonLink>
        )}
      </Row>
    }
    isList
  >
    {of.length === 0 ? (
      <CardBody as="p" tone="soft">
        {empty}
      </CardBody>
    ) : (
      <PlainList>
        {of.slice(0, SHOWN).map((request) => (
          <SignRow
            key={request.id}
            icon={STATES[request.state].icon}
            title={<a href={inOrganisation(`/app/approvals?id=${request.id}`)}>{titleOf(request)}</a>}
            about={about(request)}
          >
            <Note isOneLine isAtEnd>
              {end(request)}
            </Note>
          </SignRow>
        ))}
      </PlainList>
    )}
  </HeadedCard>
)

/** “By Orla Samplach, with the key Discharge letters” */
function askerOf(request: NamedApproval): string {
  const maker = makerOf(request)
  const key = `the key ${keyNameOf(request)}`
  return maker === null ? `By ${key}` : `By ${nameOfMaker(maker)}, with ${key}`
}

/** “Approved by you, 2 hours ago, 8fd54b3e” */
function decisionText(request: NamedApproval): ComponentChildren {
  const last = request.decisions.at(-1)
  if (last === undefined) return null
  return (
    <>
      {DECISION_WORDS[last.decision]} by {personOf(decidersOf(request), last.decided_by)},{' '}
      <Moment at={last.decided_at} />, <code>{shortHashOf(request)}</code>
    </>
  )
}

const WhatElse = () => (
  <HeadedCard title="What you can do here" isList>
    <PlainList>
      {hasTierFeature('medical_receipts') && hasPermission('receipts:read') && (
        <Way icon={calls} to={inOrganisation('/app/calls')} title="Medical calls" about="Each with its signed record" />
      )}
      <Way icon={proven} to="/verify" title="Verify a record" about="In your browser, without an account" />
      <Way icon={save} to={inOrganisation('/app/exports')} title="Exports" about="Evidence that an auditor can check" />
      <Way icon={ask} to={inOrganisation('/app/notices')} title="Notices" about="Choose what you are mailed about" />
    </PlainList>
  </HeadedCard>
)

const Way = ({ icon, to, title, about }: { icon: IconPaths; to: string; title: string; about: string }) => (
  <SignRow icon={icon} title={<a href={to}>{title}</a>} about={about} />
)
