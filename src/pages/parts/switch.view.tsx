// A switch: on or off at once, with its word beside it.
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
