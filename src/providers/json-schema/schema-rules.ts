// What a provider takes of JSON Schema.
export type SchemaRules = {
  /** Whether a keyword that holds no schema is enforced with this value. Every other one becomes a text for the model. */
  readonly enforces: (keyword: string, value: unknown) => boolean
  /**
   * Whether an object has the members that it lists and no others, and every schema says what it is. Then maps and
   * values of any kind are refused.
   */
  readonly closed: boolean
  /** Whether `prefixItems` is enforced. */
  readonly tuples: boolean
  /** Whether a schema may refer to itself. */
  readonly recursive: boolean
}
