// A switch: on or off at once, with its word beside it, or at the end of a line about it.
import type { ComponentChildren } from 'preact'

type Props = {
  isOn: boolean
  onSwitch: (isOn: boolean) => void
  isDisabled?: boolean
  /** At the end of a line, across its whole width. */
  isRow?: boolean
  children: ComponentChildren
}

export const Switch = ({ isOn, onSwitch, isDisabled = false, isRow = false, children }: Props) => (
  <label class={isRow ? 'switch-row switch' : 'switch'}>
    <span>{children}</span>
    <input
      type="checkbox"
      role="switch"
      checked={isOn}
      disabled={isDisabled}
      onChange={({ currentTarget: { checked } }) => onSwitch(checked)}
    />
  </label>
)

type RowProps = Pick<Props, 'isOn' | 'onSwitch'> & { label: string; mark?: ComponentChildren; hint?: ComponentChildren }

/** What can be on or off, with a line about what it does. */
export const SwitchRow = ({ label, mark, hint, ...given }: RowProps) => (
  <Switch {...given} isRow>
    <strong>{label}</strong> {mark}
    <br />
    <span class="hint">{hint}</span>
  </Switch>
)
