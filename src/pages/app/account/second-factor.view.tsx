// Account page: lists the person's second factors, and lets them add, rename and remove them.
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { FactorsSchema } from '../../../accounts/second-factor/second-factor.schema.ts'
import type { Infer } from '../../../platform/once.ts'
import { passkeyObstacle } from '../../api/passkeys.ts'
import { refusalOf, type Answer, type Problem } from '../../api/send-request.ts'
import type { User } from '../../api/sign-in.ts'
import { Answered, DoneNotice, RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { ActButton, Button } from '../../parts/button.view.tsx'
import { useUniqueId } from '../../parts/field-frame.view.tsx'
import { clock, key, list } from '../../parts/icons.ts'
import { showInFront } from '../../parts/island.ts'
import { Note, OnlyRead, Row } from '../../parts/layout.view.tsx'
import { CardBody, CardFoot, PlainList, SignRow } from '../../parts/surfaces.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { callApi, session, useApi } from '../session.ts'
import {
  AddPasskey,
  beginApp,
  loadCreationOptions,
  RecoveryCodes,
  RemoveFactor,
  RenamePasskey,
  RenewCodes,
  SetUpApp,
  type DialogProps,
  type Factor,
} from './factor-dialogs.view.tsx'

/** Under so many, new ones are urged. */
const FEW_CODES = 3

/** Opens a dialog, which closes once its act is done. */
type Open = (dialog: (props: DialogProps) => VNode) => void

export function SecondFactor({ onChanged }: { onChanged: (user: User) => void }) {
  const answer = useApi<Infer<typeof FactorsSchema>>('/api/auth/factors')
  const [done, setDone] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const obstacleId = useUniqueId()
  const obstacle = passkeyObstacle()
  const demanding = session().user.organisations.find(
    ({ second_factor: factor }) => factor.required === 'phishing_resistant',
  )

  const finish = (words: string, codes?: readonly string[]): void => {
    if (codes === undefined) {
      setDone(words)
      answer[1]()
      void refusalOf(callApi<User>('GET', '/api/auth/me'), onChanged)
      return
    }
    showInFront((close) => (
      <RecoveryCodes
        codes={codes}
        onDone={() => {
          close()
          finish(words)
        }}
      />
    ))
  }
  const open: Open = (dialog) => {
    setDone(null)
    setProblem(null)
    showInFront((close) =>
      dialog({
        onClose: close,
        onDone: (...given) => {
          close()
          finish(...given)
        },
      }),
    )
  }
  /** Opens a dialog that shows an answer, which may need a confirmation first. */
  const load = async <T,>(asked: Promise<Answer<T>>, dialog: (props: DialogProps, body: T) => VNode): Promise<void> =>
    setProblem(await refusalOf(asked, (body) => open((props) => dialog(props, body))))

  return (
    <>
      {done !== null && <DoneNotice>{done}</DoneNotice>}
      {problem !== null && <RefusalNotice problem={problem} />}
      <Answered answer={answer} lines={4}>
        {({ data }) => {
          const passkeys = data.filter(({ object }) => object === 'passkey')
          const hasApp = data.some(({ object }) => object === 'totp')
          const isLast = passkeys.length + Number(hasApp) === 1
          return (
            <>
              <PlainList>
                {data.length === 0 && (
                  <SignRow
                    title={<b>No second factor</b>}
                    about="With one, somebody who learns your password still cannot sign in as you. A passkey is your finger, face or PIN on a device. An app on your phone shows a code that you type."
                  />
                )}
                {data.map((factor) => (
                  <FactorRow key={factor.id} of={factor} isLast={isLast} open={open} />
                ))}
              </PlainList>
              {passkeys.length === 0 && demanding !== undefined && (
                <CardBody as="p">
                  <bdi>{demanding.name}</bdi> needs a passkey: an app alone is not enough there.
                </CardBody>
              )}
              <CardFoot look="row between">
                <Note id={obstacleId}>
                  {obstacle ?? (isLast && 'Add a second device: without this one, only a recovery code lets you in.')}
                </Note>
                <Row>
                  <ActButton
                    look={data.length === 0 ? 'first' : undefined}
                    isOff={obstacle !== null}
                    {...(obstacle !== null && { describedBy: obstacleId })}
                    act={() =>
                      load(loadCreationOptions(), (props, loaded) => (
                        <AddPasskey {...props} loaded={loaded} number={passkeys.length + 1} />
                      ))
                    }
                  >
                    Add a passkey
                  </ActButton>
                  <ActButton
                    act={() => load(beginApp(), (props, app) => <SetUpApp {...props} app={app} isReplaced={hasApp} />)}
                  >
                    {hasApp ? 'Replace the app' : 'Set up an app'}
                  </ActButton>
                </Row>
              </CardFoot>
            </>
          )
        }}
      </Answered>
    </>
  )
}

type RowProps = { of: Factor; isLast: boolean; open: Open }

function FactorRow({ of, isLast, open }: RowProps) {
  if (of.object === 'recovery_codes') {
    const { left, created_at: at } = of
    return (
      <SignRow
        icon={list}
        tone={left < FEW_CODES ? 'warn' : undefined}
        title={`Recovery codes: ${left} left`}
        about={
          <>
            Made <Moment at={at} />. {left < FEW_CODES && 'Make new ones.'}
          </>
        }
      >
        <Button onClick={() => open((props) => <RenewCodes {...props} />)}>New recovery codes</Button>
      </SignRow>
    )
  }
  const isPasskey = of.object === 'passkey'
  const name = isPasskey ? of.name : 'Authenticator app'
  const isLocked = !isPasskey && of.locked
  return (
    <SignRow
      icon={isPasskey ? key : clock}
      tone={isLocked ? 'warn' : undefined}
      title={<bdi>{name}</bdi>}
      about={
        <>
          {isPasskey && 'Passkey. '}
          {isLocked && 'Locked after 100 wrong codes: replace the app. '}
          Made <Moment at={of.created_at} />, {of.last_used_at === null ? 'not used yet' : 'last used '}
          {of.last_used_at !== null && <Moment at={of.last_used_at} />}.
          {isPasskey && of.backup_eligible && ' Can be on several devices.'}
        </>
      }
    >
      <Row as="span" gap={2}>
        {isPasskey && (
          <Button onClick={() => open((props) => <RenamePasskey {...props} of={of} />)}>
            Rename<OnlyRead> {name}</OnlyRead>
          </Button>
        )}
        <Button onClick={() => open((props) => <RemoveFactor {...props} of={{ id: of.id, name }} isLast={isLast} />)}>
          Remove<OnlyRead> {name}</OnlyRead>
        </Button>
      </Row>
    </SignRow>
  )
}
