// The form fields of all pages: text, several lines, selection, check boxes, radio buttons, e-mail address.
import { h, type ComponentChildren } from 'preact'
import { Field, type FieldDescription } from './field-frame.view.tsx'
import { attributesOf } from './drawn.ts'
import { dayIn } from '../text/day.ts'
import { formatDay } from '../text/format.ts'

type TextEntryProps = FieldDescription & {
  value: string
  onValue: (value: string) => void
  required?: boolean
  maxLength?: number | undefined
  spellcheck?: boolean
  autocapitalize?: 'none'
}

type InputProps = TextEntryProps & {
  type?: 'text' | 'email' | 'date' | 'number' | 'search'
  inputMode?: 'numeric' | 'url' | 'email'
  /** The HTML autocomplete token, which says what a browser may fill in. */
  autocomplete?: string
  placeholder?: string
  disabled?: boolean
  min?: number | string | undefined
  max?: number | string | undefined
  step?: number | 'any'
  /** Why the value cannot be sent, or '' if it can. */
  invalid?: string
}

export function InputField({ label, mark, hint, fault, onValue, invalid, ...attributes }: InputProps) {
  // Below a day stands the day as pages write it, since the browser writes it in its own way.
  const day = attributes.type === 'date' ? dayIn(attributes.value) : null
  const said =
    day === null ? (
      hint
    ) : (
      <>
        {formatDay(day)}. {hint}
      </>
    )
  const judge = (input: HTMLInputElement | null): void => input?.setCustomValidity(invalid ?? '')
  return (
    <Field label={label} mark={mark} hint={said} fault={fault}>
      {(control) =>
        // JSX would need a separate element for each type.
        h('input', {
          ...control,
          ...attributes,
          ref: invalid === undefined ? null : judge,
          onInput: ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) => onValue(value),
        })
      }
    </Field>
  )
}

type AreaProps = TextEntryProps & {
  rows?: number
  /** True for the letters of code. */
  isCode?: boolean
  /** True for one line until it has more. */
  isLine?: boolean
  readOnly?: boolean
  /** True if it is as high as what it has, and begins with three lines. */
  isShort?: boolean
  /** True if it takes the focus once it is there. */
  takesFocus?: boolean
}

const takeFocus = (element: HTMLElement | null): void => element?.focus()

export const AreaField = ({ label, hint, fault, onValue, takesFocus, ...attributes }: AreaProps) => (
  <Field label={label} hint={hint} fault={fault}>
    {(control) => (
      <textarea
        {...control}
        {...attributesOf('', attributes)}
        ref={takesFocus === true ? takeFocus : null}
        onInput={({ currentTarget: { value } }) => onValue(value)}
      />
    )}
  </Field>
)

export type Option = readonly [value: string | number, words: ComponentChildren]

type SelectProps = FieldDescription & {
  value: string | number
  onValue: (value: string) => void
  options: readonly Option[]
}

export const SelectField = ({ label, mark, hint, fault, value, onValue, options }: SelectProps) => (
  <Field label={label} mark={mark} hint={hint} fault={fault}>
    {(control) => (
      <select {...control} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {options.map(([one, words]) => (
          <option key={one} value={one} selected={one === value}>
            {words}
          </option>
        ))}
      </select>
    )}
  </Field>
)

/** A choice in words, with a line about it where it is not clear by itself. */
const ChoiceWords = ({ about, children }: { about?: ComponentChildren; children: ComponentChildren }) =>
  about === undefined ? (
    <>{children}</>
  ) : (
    <span>
      <b>{children}</b> <small>{about}</small>
    </span>
  )

type CheckProps = {
  about?: ComponentChildren
  isChecked: boolean
  isDisabled?: boolean
  onCheck: (isChecked: boolean) => void
  children: ComponentChildren
}

export const Checkbox = ({ about, isChecked, isDisabled = false, onCheck, children }: CheckProps) => (
  <label class="choice">
    <input
      type="checkbox"
      checked={isChecked}
      disabled={isDisabled}
      onChange={({ currentTarget: { checked } }) => onCheck(checked)}
    />
    <ChoiceWords about={about}>{children}</ChoiceWords>
  </label>
)

type ChecksProps<T> = {
  options: readonly T[]
  chosen: readonly T[]
  onChosen: (chosen: T[]) => void
  children: (option: T) => ComponentChildren
}

/** One checkbox for each option. The chosen values are in the order of the options. */
export const Checkboxes = <T extends string>({ options, chosen, onChosen, children }: ChecksProps<T>) =>
  options.map((option) => (
    <Checkbox
      key={option}
      isChecked={chosen.includes(option)}
      onCheck={(isChecked) => onChosen(options.filter((one) => (one === option ? isChecked : chosen.includes(one))))}
    >
      {children(option)}
    </Checkbox>
  ))

type RadioProps = {
  about?: ComponentChildren
  name: string
  isChosen: boolean
  onChoose: () => void
  isRequired?: boolean
  children: ComponentChildren
}

export const Radio = ({ about, name, isChosen, onChoose, isRequired = false, children }: RadioProps) => (
  <label class="choice">
    <input type="radio" name={name} required={isRequired} checked={isChosen} onChange={onChoose} />
    <ChoiceWords about={about}>{children}</ChoiceWords>
  </label>
)

type TextProps = Omit<InputProps, 'type' | 'maxLength'> & { type?: 'text' | 'email'; most?: number | undefined }

export const TextField = ({ most = 200, type = 'text', autocomplete = 'off', invalid = '', ...given }: TextProps) => (
  <InputField
    {...given}
    {...(type === 'email' && { autocapitalize: 'none', spellcheck: false })}
    type={type}
    autocomplete={autocomplete}
    maxLength={most}
    required
    invalid={invalid}
  />
)

export const EmailField = ({ autocomplete = 'username', ...given }: Omit<TextProps, 'type' | 'label' | 'most'>) => (
  <TextField {...given} label="E-mail address" type="email" autocomplete={autocomplete} most={254} />
)
