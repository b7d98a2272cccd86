// Matches names of storage options, and of the environment variables that replace them.
export const secretNames: RegExp = /secret|token|key|sas|password|credential/i;
const environmentNames = /^(AWS|AZURE|GOOGLE|GCS)_/;
const parameters =
  /((?:sig|x-amz-signature|x-amz-security-token|x-amz-credential|accountkey)=|<AWSAccessKeyId>)[^&<;"'\s)]+/gi;

const knownSecrets = new Set<string>();

/** Remembers the secrets among storage options, so that {@link redact} removes them. */
export function rememberSecrets(storageOptions: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(storageOptions)) {
    if (secretNames.test(name) && isLongEnough(value)) knownSecrets.add(value);
  }
}

/** A message of the engine without credentials. The original may contain whole requests. */
export function redact(message: string): string {
  let text = message.replace(parameters, "$1…");
  for (const secret of [...knownSecrets, ...secretsOfEnvironment()]) {
    text = text.replaceAll(secret, "…").replaceAll(encodeURIComponent(secret), "…");
  }
  return text;
}

function secretsOfEnvironment(): string[] {
  return Object.entries(process.env).flatMap(([name, value = ""]) =>
    environmentNames.test(name) && secretNames.test(name) && isLongEnough(value) ? [value] : [],
  );
}

/** Removing a short value would take words out of the message. */
function isLongEnough(value: string): boolean {
  return value.length >= 6;
}
