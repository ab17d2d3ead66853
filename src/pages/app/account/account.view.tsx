// One's own account: for everybody who has signed in, whatever their organisations.
import { useState } from 'preact/hooks'
import type { Session } from '../../api/session.ts'
import { Exact } from '../../parts/exact.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { AccountErasure } from './account-erasure.view.tsx'
import { ChangePassword } from './change-password.view.tsx'
import { Memberships } from './memberships.view.tsx'
import { Sessions } from './sessions.view.tsx'

export function Account({ session }: { session: Session }) {
  const [passwordChanges, setPasswordChanges] = useState(0)
  return (
    <>
      <About session={session} />
      <ChangePassword session={session} onChanged={() => setPasswordChanges((times) => times + 1)} />
      <Sessions session={session} on={passwordChanges} />
      <Memberships session={session} />
      <AccountErasure session={session} />
    </>
  )
}

function About({ session: { user } }: { session: Session }) {
  return (
    <section class="stack">
      <h2>Who you are</h2>
      <dl class="facts">
        <dt>Name</dt>
        <dd>{user.name}</dd>
        <dt>E-mail address</dt>
        <dd>
          {user.email}
          {user.email_verified ? '' : ', not proven: nobody has opened a mail at it yet'}
        </dd>
        <dt>Ways to sign in</dt>
        <dd>
          {user.methods.map((method) => (method === 'password' ? 'password' : `provider “${method}”`)).join(', ')}
        </dd>
        <dt>Since</dt>
        <dd>
          <Moment at={user.created_at} />
        </dd>
        <dt>Id</dt>
        <dd>
          <Exact value={user.id} what="your id" />
        </dd>
      </dl>
    </section>
  )
}
