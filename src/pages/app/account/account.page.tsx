// The person's own account. Everybody who has signed in can see it, with or without an organisation.
import { useState } from 'preact/hooks'
import { refusalOf } from '../../api/call.ts'
import { Exact } from '../../parts/copy.view.tsx'
import { Form } from '../../parts/form.view.tsx'
import { NewPassword } from '../../parts/new-password.view.tsx'
import { Done } from '../../parts/notices.view.tsx'
import { PasswordField, UsernameOf } from '../../parts/password.view.tsx'
import { Facts, Section } from '../../parts/blocks.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { openPage } from '../open-page.tsx'
import { callApi, session } from '../session.ts'
import { AccountErasure } from './account-erasure.view.tsx'
import { Memberships } from './memberships.view.tsx'
import { methodWords, Sessions } from './sessions.view.tsx'

function Account() {
  const [passwordChanges, setPasswordChanges] = useState(0)
  return (
    <>
      <About />
      <ChangePassword onChanged={() => setPasswordChanges((times) => times + 1)} />
      <Sessions on={passwordChanges} />
      <Memberships />
      <AccountErasure />
    </>
  )
}

function About() {
  const { user } = session()
  const unproven = user.email_verified ? '' : ', not proven: nobody has opened a mail at it yet'
  return (
    <Section title="Who you are">
      <Facts
        facts={[
          ['Name', user.name],
          ['E-mail address', `${user.email}${unproven}`],
          ['Ways to sign in', user.methods.map(methodWords).join(', ')],
          ['Since', <Moment at={user.created_at} />],
          ['Id', <Exact value={user.id} what="your id" />],
        ]}
      />
    </Section>
  )
}

const NOTHING = { current: '', new: '' }

/** Changing the password ends all other sessions. */
function ChangePassword({ onChanged }: { onChanged: () => void }) {
  const { user } = session()
  const [given, setGiven] = useState(NOTHING)
  const [changes, setChanges] = useState(0)
  const change = () =>
    refusalOf(callApi('POST', '/api/auth/password', { body: given }), () => {
      setGiven(NOTHING)
      setChanges(changes + 1)
      onChanged()
    })
  return (
    <Section title="Password">
      {changes > 0 && (
        <Done key={changes}>
          <p>The password is changed</p>
          <p>All other sessions were ended, and a mail tells you of it.</p>
        </Done>
      )}
      {user.methods.includes('password') ? (
        <div class="card slim">
          <Form button="Change the password" ask={change}>
            <PasswordField
              label="Current password"
              autocomplete="current-password"
              value={given.current}
              onValue={(current) => setGiven({ ...given, current })}
            />
            <NewPassword
              label="New password"
              value={given.new}
              whose={user}
              onValue={(value) => setGiven({ ...given, new: value })}
            />
            <p class="soft">All other sessions end with it.</p>
            <UsernameOf email={user.email} />
          </Form>
        </div>
      ) : (
        <p>
          You have none: you sign in by a provider. <a href="/reset">A link by mail</a> sets one.
        </p>
      )}
    </Section>
  )
}

await openPage('/app/account', Account)
