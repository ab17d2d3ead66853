// What the service checks the fields of each form by (scripts/pages/form-schemas.ts).

declare module 'virtual:form-schema/decision' {
  import type { FormSchemas } from '../../scripts/pages/form-schemas.ts'
  const schema: FormSchemas['decision']
  export default schema
}

declare module 'virtual:form-schema/key' {
  import type { FormSchemas } from '../../scripts/pages/form-schemas.ts'
  const schema: FormSchemas['key']
  export default schema
}

declare module 'virtual:form-schema/policy' {
  import type { FormSchemas } from '../../scripts/pages/form-schemas.ts'
  const schema: FormSchemas['policy']
  export default schema
}

declare module 'virtual:form-schema/settings' {
  import type { FormSchemas } from '../../scripts/pages/form-schemas.ts'
  const schema: FormSchemas['settings']
  export default schema
}

declare module 'virtual:form-schema/statement' {
  import type { FormSchemas } from '../../scripts/pages/form-schemas.ts'
  const schema: FormSchemas['statement']
  export default schema
}

declare module 'virtual:form-schema/webhook' {
  import type { FormSchemas } from '../../scripts/pages/form-schemas.ts'
  const schema: FormSchemas['webhook']
  export default schema
}
