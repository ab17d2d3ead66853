// The field for a new password. It shows the rules, and which of them the typed password meets.
import { PASSWORD_CHARACTERS, passwordFault } from '../../accounts/sign-in/password-rules.policy.ts'
import { plural } from '../text/format.ts'
import { PasswordField } from './password.view.tsx'

type Props = {
  label: string
  value: string
  onValue: (value: string) => void
  /** The owner's e-mail address and name; '' if the page does not know one. The service then checks it. */
  whose: { email: string; name: string }
}

const { least } = PASSWORD_CHARACTERS

export function NewPassword({ label, value, onValue, whose }: Props) {
  const rule = passwordFault(value, whose)
  const length = Array.from(value.normalize('NFC')).length
  const isShort = length < least
  return (
    <PasswordField
      label={label}
      autocomplete="new-password"
      value={value}
      onValue={onValue}
      invalid={rule === null ? '' : `A rule is not met: ${rule}.`}
      hint={
        <>
          At least {least} characters of any kind; blanks count. Without your e-mail address, your name and the name of
          this service, and not a common password. We do not check whether it was leaked elsewhere, so use one that you
          use nowhere else.
          <br />
          <strong>
            {isShort && `${length} of ${least} characters.`}
            {!isShort && (rule === null ? `${plural(length, 'character')}: long enough.` : `Not met: ${rule}.`)}
          </strong>
        </>
      }
    />
  )
}
