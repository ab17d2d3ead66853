// How many calls pass, are held and are blocked, as one bar.
type Props = { passed: number; held: number; blocked: number }

export function OutcomeSplit({ passed, held, blocked }: Props) {
  const total = Math.max(1, passed + held + blocked)
  const parts = [
    { at: 0, width: passed, look: 'mark-1' },
    { at: passed, width: held, look: 'mark-2' },
    { at: passed + held, width: blocked, look: 'mark-3' },
  ]
  return (
    <svg class="split" viewBox={`0 0 ${total} 1`} preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ at, width, look }) => (
        <rect key={look} class={look} x={at} y={0} width={width} height={1} />
      ))}
    </svg>
  )
}
