// A setting that is on or off, with a line about what it does.
import type { ComponentChildren } from 'preact'

type Props = {
  label: string
  mark?: ComponentChildren
  hint: ComponentChildren
  isOn: boolean
  onSwitch: (isOn: boolean) => void
}

export const SwitchSetting = ({ label, mark, hint, isOn, onSwitch }: Props) => (
  <label class="switch of-setting">
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
