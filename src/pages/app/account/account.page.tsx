// The account page: the person's details, times, notices, password, sessions, memberships and erasure. Every signed-in person can open it, even
// without an organisation.
import type { ComponentChildren, VNode } from 'preact'
import { useState } from 'preact/hooks'
import { refusalOf, withOwnMessage, type Problem } from '../../api/send-request.ts'
import { CopyButton } from '../../parts/copy-button.view.tsx'
import { Form } from '../../parts/form.view.tsx'
import { NewPassword } from '../../parts/new-password.view.tsx'
import { DoneNotice, ProblemNotice } from '../../parts/answer-notices.view.tsx'
import { PasswordField, HiddenUsername } from '../../parts/password.view.tsx'
import { ButtonLink, EmptyNotice, HeadedCard, PlainList, SignRow } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { Hash, OnlyRead } from '../../parts/layout.view.tsx'
import { lazy } from '../../parts/lazy.view.tsx'
import { formatDay, plural } from '../../text/format.ts'
import { openPage } from '../open-page.tsx'
import { callApi, inOrganisation, organisation, session, setUser, useApi, useApiList } from '../session.ts'
import { useView } from '../use-view.ts'
import { AccountErasure } from './account-erasure.view.tsx'
import { availableNotices } from '../notices/available-notices.ts'
import type { NoticesSchema } from '../../../management/notifications/notifications.schema.ts'
import { InputField } from '../../parts/fields.view.tsx'
import { Times } from '../frame/account-menu.view.tsx'
import { showNames } from '../frame/frame.view.tsx'
import { Memberships } from './memberships.view.tsx'
import type { Infer } from '../../../platform/once.ts'
import type { SessionSchema } from '../../../accounts/sign-in/sign-in.schema.ts'
import { takeToken } from '../../entrance/sign-in-parts.view.tsx'
import { tellTabs, type User } from '../../api/sign-in.ts'
import { ActButton } from '../../parts/button.view.tsx'
import { DialogForm, DialogButton } from '../../parts/dialog.view.tsx'
import { columnsOf, type Column } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'

/** Of a mailed link to another address. It leaves the URL before anything is sent. */
const token = takeToken()

type OnChanged = (user: User) => void

const SecondFactor = lazy(4, () => import('./second-factor.view.tsx').then((loaded) => loaded.SecondFactor))

function Account() {
  const [user, setShown] = useState(session().user)
  const [passwordChanges, setPasswordChanges] = useState(0)
  const show: OnChanged = (changed) => {
    setUser(changed)
    setShown(changed)
    showNames()
  }
  return (
    <>
      {token !== null && <NewAddress token={token} onChanged={show} />}
      <Profile user={user} onChanged={show} />
      <HeadedCard id="second-factor" title="Sign-in" isList>
        <FirstFactors changes={passwordChanges} onChanged={() => setPasswordChanges((times) => times + 1)} />
        <SecondFactor onChanged={show} />
      </HeadedCard>
      <Sessions on={[user, passwordChanges]} />
      <HeadedCard title="Preferences" isList>
        <PlainList>
          {session().organisation !== null && <Notices />}
          <SignRow title={<b>Dates and times</b>} about="On all pages, in this browser">
            <Times isLabelHidden />
          </SignRow>
        </PlainList>
      </HeadedCard>
      <Memberships />
      <AccountErasure />
    </>
  )
}

const USED_LINK = {
  invalid_request: 'The link was used already, is older than 24 hours, or is of another account. Ask for a new one.',
}

function NewAddress({ token: given, onChanged }: { token: string; onChanged: OnChanged }) {
  const [email, setEmail] = useState<string | null>(null)
  const confirm = async () => {
    const body = { token: given }
    const problem = await refusalOf(callApi<User>('POST', '/api/auth/email/confirm', { body }), (user) => {
      onChanged(user)
      setEmail(user.email)
    })
    return problem && withOwnMessage(problem, USED_LINK)
  }
  return (
    <HeadedCard title="Confirm your new address">
      {email === null ? (
        <Form button="Use the new address" ask={confirm}>
          <p>You sign in and get mail by it from then on. All other sessions end.</p>
        </Form>
      ) : (
        <DoneNotice>Your address is now {email}. All other sessions were ended.</DoneNotice>
      )}
    </HeadedCard>
  )
}

function Profile({ user, onChanged }: { user: User; onChanged: OnChanged }) {
  const [asked, setAsked] = useState<string | null>(null)
  return (
    <HeadedCard title="Profile" isList>
      {asked !== null && (
        <DoneNotice key={asked}>
          A mail is on its way to {asked}. Sign in here and open its link within 24 hours: until then nothing changes.
        </DoneNotice>
      )}
      <PlainList>
        <Changeable title={user.name} about="Name" button="Change name" form={ChangeName} onDone={onChanged} />
        <Changeable
          title={user.email.split(/(?<=[@.])/).flatMap((part) => [<wbr />, part])}
          about={
            user.email_verified ? 'E-mail address' : 'E-mail address, not proven: nobody has opened a mail at it yet'
          }
          button="Change address"
          form={ChangeAddress}
          onDone={setAsked}
        />
        <SignRow
          title={<Hash as="code">{user.id}</Hash>}
          about={`Account id, since ${formatDay(user.created_at.slice(0, 10))}`}
        >
          <CopyButton text={user.id} what="your id" look="" />
        </SignRow>
      </PlainList>
    </HeadedCard>
  )
}

type ChangeProps<T> = { onClose: () => void; onDone: (done: T) => void }

type ChangeableProps<T> = {
  title: ComponentChildren
  about: string
  button: string
  form: (props: ChangeProps<T>) => VNode
  onDone: (done: T) => void
}

/** A row with the button that opens the form for another value. */
const Changeable = <T,>({ title, about, button, form: Change, onDone }: ChangeableProps<T>) => (
  <SignRow title={<b>{title}</b>} about={about}>
    <DialogButton label={button}>
      {(close) => (
        <Change
          onClose={close}
          onDone={(done) => {
            onDone(done)
            close()
          }}
        />
      )}
    </DialogButton>
  </SignRow>
)

function ChangeName({ onClose, onDone }: ChangeProps<User>) {
  const [name, setName] = useState(session().user.name)
  const change = () => refusalOf(callApi<User>('PATCH', '/api/auth/me', { body: { name } }), onDone)
  return (
    <DialogForm title="Change your name" button="Save name" ask={change} onClose={onClose}>
      {(faultOf) => (
        <InputField
          label="Name"
          hint="The members of your organisations see it. Logs have your id, and no name."
          fault={faultOf('name')}
          required
          maxLength={200}
          autocomplete="name"
          value={name}
          onValue={setName}
        />
      )}
    </DialogForm>
  )
}

function ChangeAddress({ onClose, onDone }: ChangeProps<string>) {
  const [email, setEmail] = useState('')
  const request = () => refusalOf(callApi('POST', '/api/auth/email', { body: { email } }), () => onDone(email))
  return (
    <DialogForm title="Change your e-mail address" button="Send the link" ask={request} onClose={onClose}>
      {(faultOf) => (
        <InputField
          label="New e-mail address"
          hint="A link is mailed to it, and a notice to the address that you have."
          fault={faultOf('email')}
          type="email"
          required
          maxLength={254}
          autocomplete="email"
          value={email}
          onValue={setEmail}
        />
      )}
    </DialogForm>
  )
}

/** How many notices the person has chosen in this organisation. */
function Notices() {
  const [loaded] = useApi<Infer<typeof NoticesSchema>>('/api/notices')
  const available = availableNotices()
  const chosen = loaded.state === 'answered' ? loaded.body.types.filter((type) => available.includes(type)).length : 0
  return (
    <SignRow
      title={<b>Notices</b>}
      about={
        loaded.state === 'refused'
          ? loaded.problem.message
          : loaded.state === 'answered' && `${chosenText(chosen, available.length)} in ${organisation().name}`
      }
    >
      <ButtonLink href={inOrganisation('/app/notices')}>Choose notices</ButtonLink>
    </SignRow>
  )
}

const chosenText = (chosen: number, of: number): string =>
  chosen === 0 ? 'No mails chosen' : `Mails about ${chosen} of ${plural(of, 'kind')} of events`

/** The ways to begin a sign-in. */
function FirstFactors({ changes, onChanged }: { changes: number; onChanged: () => void }) {
  const { methods } = session().user
  return (
    <>
      {changes > 0 && (
        <DoneNotice key={changes}>
          <p>The password is changed</p>
          <p>All other sessions were ended, and a mail tells you of it.</p>
        </DoneNotice>
      )}
      <PlainList>
        {methods.includes('password') ? (
          <Changeable
            title="Password"
            about="Signs you in, with your e-mail address"
            button="Change the password"
            form={ChangePassword}
            onDone={onChanged}
          />
        ) : (
          <SignRow title={<b>Password</b>} about="You have none: you sign in by a provider.">
            <ButtonLink href="/reset">Set one by mail</ButtonLink>
          </SignRow>
        )}
        {methods.map(
          (method) =>
            method !== 'password' && (
              <SignRow
                key={method}
                title={<b>{methodWords(method)}</b>}
                about="Signs you in, without a password here"
              />
            ),
        )}
      </PlainList>
    </>
  )
}

function ChangePassword({ onClose, onDone }: ChangeProps<void>) {
  const { user } = session()
  const [given, setGiven] = useState({ current: '', new: '' })
  const [isWrong, setWrong] = useState(false)
  const change = async () => {
    const problem = await refusalOf(callApi('POST', '/api/auth/password', { body: given }), () => onDone())
    setWrong(problem?.param === 'current')
    return problem
  }
  return (
    <DialogForm title="Change your password" button="Save password" ask={change} onClose={onClose}>
      <PasswordField
        label="Current password"
        fault={isWrong ? 'It is wrong. Type it again.' : null}
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
      <p>All other sessions end with it.</p>
      <HiddenUsername email={user.email} />
    </DialogForm>
  )
}

type SessionRow = Infer<typeof SessionSchema>

/** Lists the sessions. @param on changes with acts elsewhere on the page that end sessions, and loads the list again */
function Sessions({ on }: { on: readonly unknown[] }) {
  const listed = useApiList<SessionRow>('/api/auth/sessions', { limit: 3 }, on)
  const [ended, setEnded] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)

  const end = async (id: string): Promise<void> => {
    const answer = await callApi('DELETE', `/api/auth/sessions/${id}`)
    const isEnded = answer.outcome === 'answered'
    setProblem(isEnded ? null : answer.problem)
    setEnded(isEnded ? id : null)
    listed.again()
  }

  return (
    <HeadedCard
      title="Sessions"
      note="The last use is known to the hour; no address and no browser is kept."
      isList
      act={
        <DialogButton label="Sign out everywhere" look="danger">
          {(close) => (
            <DialogForm title="Sign out everywhere" button="Sign out, here too" isDanger ask={endAll} onClose={close}>
              <p>You are signed out everywhere, here too. Keys go on working.</p>
            </DialogForm>
          )}
        </DialogButton>
      }
    >
      {ended !== null && (
        <DoneNotice key={ended}>The session is ended. It takes a new sign-in to go on there.</DoneNotice>
      )}
      {problem !== null && <ProblemNotice problem={problem} />}
      <DataGrid
        label="Your sessions, newest first"
        noun="session"
        columns={columnsFor(end)}
        rows={listed}
        keyOf={({ id }) => id}
        view={useView()}
        empty={<EmptyNotice title="There is none">Where you sign in is here from then on.</EmptyNotice>}
      />
    </HeadedCard>
  )
}

const row = columnsOf<SessionRow>()

const columnsFor = (onEnd: (id: string) => Promise<void>): readonly Column<SessionRow>[] => [
  row.moment({ id: 'began', head: 'Began', of: 'created_at', phone: 'title' }),
  row.text({ id: 'method', head: 'Signed in by', of: proofWords }),
  row.moment({ id: 'used', head: 'Last used', of: 'last_seen_at', phone: 'line', phoneWord: 'Last used' }),
  row.moment({ id: 'end', head: 'Ends at the latest', of: 'expires_at', phone: 'line', phoneWord: 'Ends by' }),
  row.act(({ id, current }) =>
    current ? (
      <Badge>This one</Badge>
    ) : (
      <ActButton act={() => onEnd(id)}>
        Sign out<OnlyRead> there</OnlyRead>
      </ActButton>
    ),
  ),
]

const FIRST: Readonly<Record<string, string>> = { password: 'Password', passkey: 'Passkey' }

const methodWords = (method: string): string => FIRST[method] ?? `Provider “${method}”`

const SECOND = { passkey: 'passkey', totp: 'app', recovery_code: 'recovery code', provider: 'its second factor' }

const proofWords = ({ method, second_factor: second }: SessionRow): string =>
  methodWords(method) + (second === null || second === method ? '' : ` and ${SECOND[second]}`)

const endAll = () =>
  refusalOf(callApi('POST', '/api/auth/logout-everywhere'), () => {
    tellTabs(null)
    location.replace('/sign-in')
  })

await openPage('/app/account', Account)
