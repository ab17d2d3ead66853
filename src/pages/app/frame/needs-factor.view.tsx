// Asks people without the second factor that their organisation requires to set one up: above each page until then, and in the place
// of the page from then on.
import type { ComponentChildren } from 'preact'
import { Row } from '../../parts/layout.view.tsx'
import { Notice } from '../../parts/page-blocks.view.tsx'
import { ButtonLink } from '../../parts/surfaces.view.tsx'
import { formatDay } from '../../text/format.ts'
import { organisation, session } from '../session.ts'

type Props = {
  /** True if the page is about the person alone, so that it stays open. */
  isOwn: boolean
  children: ComponentChildren
}

export function NeedsFactor({ isOwn, children }: Props) {
  const { second_factors: own, session: current } = session().user
  const { name, second_factor: factor } = organisation()
  const isPasskey = factor.required === 'phishing_resistant'
  const isVouched = current.second_factor === 'provider' && (!isPasskey || current.acr === 'phr')
  if (isVouched || (isPasskey ? own.includes('passkey') : own.length > 0)) return <>{children}</>
  const isNow = factor.from === null || Date.parse(factor.from) <= Date.now()
  return (
    <>
      <Notice
        tone="warn"
        title={
          <>
            <bdi>{name}</bdi> needs a {isPasskey ? 'passkey' : 'second factor'}
            {factor.from !== null && !isNow && ` from ${formatDay(factor.from.slice(0, 10))}`}.
          </>
        }
      >
        <Row as="p">
          <ButtonLink look={isNow && !isOwn ? 'first' : undefined} href="/app/account#second-factor">
            Set one up
          </ButtonLink>
          {isNow && 'The pages of the organisation open after it. '}This takes 2 minutes.
        </Row>
      </Notice>
      {(isOwn || !isNow) && children}
    </>
  )
}
