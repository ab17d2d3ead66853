// Derives a value from an immutable object once, for as long as that object lives.

export function oncePer<Source extends object, Value>(derive: (source: Source) => Value): (source: Source) => Value {
  const derived = new WeakMap<Source, { value: Value }>()
  return (source) => {
    const known = derived.get(source)
    if (known !== undefined) return known.value
    const value = derive(source)
    derived.set(source, { value })
    return value
  }
}
