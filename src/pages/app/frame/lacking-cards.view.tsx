// Shows a page or a part of one that the organisation's tier lacks: what it does, and one way to ask the operator for it. Requests
// nothing until somebody asks.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { rolesWith } from '../../../accounts/access/roles.policy.ts'
import type { PresentedTierRequest } from '../../../accounts/organisation.schema.ts'
import type { PageFeature } from '../../pages.ts'
import { tiersWith, type Tier } from '../../../policies/tier.policy.ts'
import { refusalOf } from '../../api/send-request.ts'
import { Button, LinkButton } from '../../parts/button.view.tsx'
import { DialogForm } from '../../parts/dialog.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { ask as letter, check, lock } from '../../parts/icons.ts'
import { formatDay } from '../../text/format.ts'
import { tierName } from '../../text/id-labels.ts'
import { callApi, hasPermission, organisation, session, setTierRequest, type Membership } from '../session.ts'
import { LACKING_WORDS } from './lacking-words.ts'
import { Stack, Row, Note } from '../../parts/layout.view.tsx'
import { WithSign, SmallLink } from '../../parts/surfaces.view.tsx'
import { Notice, Section } from '../../parts/page-blocks.view.tsx'

export function Lacking({ feature }: { feature: PageFeature }) {
  const { title, lines } = LACKING_WORDS[feature]
  return (
    <Section title={title} isCard>
      <WithSign as="p" icon={lock}>
        Not in the {tierName(organisation().tier)} tier
      </WithSign>
      <Stack as="ul" gap={2}>
        {lines.map((line) => (
          <li key={line}>
            <WithSign icon={check}>{line}</WithSign>
          </li>
        ))}
      </Stack>
      <AskForTier tiers={tiersWith(feature)} look="first" />
    </Section>
  )
}

export const LackingPart = ({ feature }: { feature: PageFeature }) => (
  <Notice title={<WithSign icon={lock}>{`${LACKING_WORDS[feature].title}: ${fromTier(feature)}`}</WithSign>}>
    <AskForTier tiers={tiersWith(feature)} />
  </Notice>
)

/** “from the Healthcare tier on” */
const fromTier = (feature: PageFeature): string => {
  const [lowest] = tiersWith(feature)
  return lowest === undefined ? 'in no tier' : `from the ${tierName(lowest)} tier on`
}

type AskForTierProps = {
  tiers: readonly Tier[]
  /** `first`: the main act of the page. */
  look?: 'first'
  /** True for each of the tiers, as links that weigh less than the page's own acts, not the lowest alone. */
  isEach?: boolean
}

/** The button that asks for a tier, or who has asked already. Roles that may not ask see who may. */
export function AskForTier({ tiers, look, isEach = false }: AskForTierProps) {
  const [request, setRequest] = useState(organisation().tier_request)
  const [isNew, setNew] = useState(false)
  const onAsked = (asked: PresentedTierRequest): void => {
    const named = nameRequest(asked)
    setTierRequest(named)
    setRequest(named)
    setNew(true)
  }
  const mayAsk = hasPermission('settings:change')
  const isAsked = request !== null && tiers.includes(request.tier)
  const lowest = isAsked ? [] : tiers.slice(0, 1)
  const offered = isEach ? tiers.filter((tier) => tier !== request?.tier) : lowest
  return (
    <>
      {isAsked && <Asked key={request.tier} request={request} isNew={isNew} />}
      <Row gap={2}>
        {mayAsk
          ? offered.map((tier) => <AskButton key={tier} {...{ tier, look, isEach, onAsked }} />)
          : !isAsked && <span>The roles that may ask: {ASKERS}.</span>}
        <SmallLink href="/tiers">Compare tiers</SmallLink>
      </Row>
      {request !== null && (
        <Note as="p">
          {isAsked ? WHO_SEES : `${askedText(request)}.`} {mayAsk && offered.length > 0 && 'Asking again replaces it.'}
        </Note>
      )}
    </>
  )
}

const ASKERS = rolesWith('settings:change')
  .filter((role) => role !== 'key')
  .join(', ')

type AskProps = Pick<AskForTierProps, 'isEach'> & {
  tier: Tier
  look: 'first' | undefined
  onAsked: (request: PresentedTierRequest) => void
}

function AskButton({ tier, look, isEach, onAsked }: AskProps) {
  const [isOpen, setOpen] = useState(false)
  const words = `Ask for ${tierName(tier)}`
  const open = (): void => setOpen(true)
  const ask = () =>
    refusalOf(callApi<PresentedTierRequest>('POST', '/api/settings/tier-request', { body: { tier } }), onAsked)
  return (
    <>
      {isEach === true ? (
        <LinkButton size="small" onClick={open}>
          {words}
        </LinkButton>
      ) : (
        <Button look={look} onClick={open}>
          <Icon of={letter} />
          {words}
        </Button>
      )}
      {isOpen && (
        <DialogForm title={`${words}?`} button={words} ask={ask} onClose={() => setOpen(false)}>
          <p>{WHO_SEES} Another request replaces it.</p>
        </DialogForm>
      )}
    </>
  )
}

const WHO_SEES = 'The operator of this service sees the request. No mail is sent.'

type OpenRequest = NonNullable<Membership['tier_request']>

/** Takes the focus of the button that it replaces. */
function Asked({ request, isNew }: { request: OpenRequest; isNew: boolean }) {
  const line = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => {
    if (isNew) line.current?.focus()
  }, [])
  return (
    <p ref={line} role="status" tabIndex={-1}>
      {askedText(request)}
    </p>
  )
}

/** “Asked for Healthcare on 26 Nov 2026 by Síle Ryan”. */
export function askedText({ tier, requested_at: at, requested_by: by, requested_by_name: name }: OpenRequest): string {
  const asker = name ?? (by?.startsWith('key_') === true ? 'a key' : null)
  return `Asked for ${tierName(tier)} on ${formatDay(at.slice(0, 10))}${asker === null ? '' : ` by ${asker}`}`
}

/** Adds this person's name. A colleague who asked for the same tier meanwhile is named when the page is loaded again. */
function nameRequest(asked: PresentedTierRequest): OpenRequest {
  const { user } = session()
  return { ...asked, requested_by_name: asked.requested_by === user.id ? user.name : null }
}
