// A switch: on or off at once, with its word beside it, or at the end of a line about it.
import type { ComponentChildren } from 'preact'

type Props = { isOn: boolean; onSwitch: (isOn: boolean) => void; isDisabled?: boolean; children: ComponentChildren }

export const Switch = ({ isOn, onSwitch, isDisabled = false, children }: Props) => (
  <label class="switch">
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

type RowProps = {
  label: string
  mark?: ComponentChildren
  hint?: ComponentChildren
  isOn: boolean
  onSwitch: (isOn: boolean) => void
}

/** What can be on or off, with a line about what it does. */
export const SwitchRow = ({ label, mark, hint, isOn, onSwitch }: RowProps) => (
  <label class="switch-row switch">
    <span>
      <strong>{label}</strong> {mark}
      <br />
      <span class="hint">{hint}</span>
    </span>
    <input
      type="checkbox"
      role="switch"
      checked={isOn}
      onChange={({ currentTarget: { checked } }) => onSwitch(checked)}
    />
  </label>
)
