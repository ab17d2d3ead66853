// The field for a new password. It shows the rules, and which of them the typed password meets.
import { NOT_COMMON, PASSWORD_CHARACTERS, passwordFault } from '../../accounts/sign-in/password-rules.policy.ts'
import { plural } from '../text/format.ts'
import { Icon } from './icon.view.tsx'
import { check } from './icons.ts'
import { OnlyRead } from './layout.view.tsx'
import { PasswordField } from './password.view.tsx'

type Props = {
  label: string
  value: string
  onValue: (value: string) => void
  /** The owner's e-mail address and name; '' if the page does not know one. The service then checks it. */
  whose: { email: string; name: string }
  /** True once the form was sent: the field then says which rule is not met. */
  isMarked?: boolean
}

const { least } = PASSWORD_CHARACTERS

const COMMON =
  'This password is among the most used ones, or made of them. Use four random words, or let your browser make one.'

export function NewPassword({ label, value, onValue, whose, isMarked = false }: Props) {
  const rule = passwordFault(value, whose)
  const length = Array.from(value.normalize('NFC')).length
  const isShort = length < least
  const unmet = rule === NOT_COMMON ? COMMON : rule && `A rule is not met: ${rule}.`
  const fault = isMarked || rule === NOT_COMMON ? unmet : null
  return (
    <div>
      <PasswordField
        label={label}
        autocomplete="new-password"
        value={value}
        onValue={onValue}
        invalid={unmet ?? ''}
        fault={fault}
        hint={
          length === 0 ? (
            `At least ${least} characters: four random words, for example.`
          ) : (
            <strong class="with-sign">
              {!isShort && rule === null && <Icon of={check} />}
              <span>
                {isShort
                  ? `${length} of ${least} characters.`
                  : rule === null || fault !== null
                    ? `${plural(length, 'character')}: long enough.`
                    : `Not met: ${rule}.`}
              </span>
            </strong>
          )
        }
      />
      <OnlyRead role="status">{fault}</OnlyRead>
    </div>
  )
}
