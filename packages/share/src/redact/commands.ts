/** The same command names a user. No other `-p` after one of these words comes with a user. */
const hasUser = String.raw`(?=[^\n|;&]{0,200}?[ \t](?:-u|--user))`;
/** `-p3306:3306` opens a port of a container that has the name of one of these programs. */
const notPorts = String.raw`-p(?!\d{1,5}:\d{1,5}(?:/[a-z]{3,4})?(?:[\s"'\x60\\;|&)]|$))`;
const logins = "docker|podman|helm registry|oras|crane auth|oc|nerdctl".replaceAll(
  /(?=\||$)/g,
  "[ \\t]{1,4}login",
);
/** Programs, the text right before the password they are given, and what else has to be there. */
export const commands: readonly (readonly [names: string, flag: string, condition?: string])[] = [
  ["mysql|mysqldump|mysqladmin|mariadb|mariadb-dump", notPorts, hasUser],
  [
    "mysql|mysqldump|mysqladmin|mariadb|mariadb-dump",
    notPorts,
    String.raw`(?=[^\n|;&]{0,200}?[ \t]-h)`,
  ],
  [
    `${logins}|mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|mycli|cqlsh|cypher-shell|snowsql|rabbitmqadmin|crackmapexec|netexec|nxc|evil-winrm|rdesktop|psexec|psexec\\.exe|twine upload|poetry publish|az login`,
    "-p[ \\t]{1,4}",
    hasUser,
  ],
  ["sshpass", "-p\\s{0,4}"],
  [
    "sqlcmd|bcp|mosquitto_pub|mosquitto_sub|ipmitool|zip|unzip|zipcloak|ssh-keygen",
    "-P[ \\t]{1,4}",
  ],
  ["ssh-keygen", "-N[ \\t]{1,4}"],
  ["7z|7za|7zr|unrar|rar", "-p"],
  ["redis-cli", "-a[ \\t]{1,4}"],
  ["plink|pscp|psftp|putty|klink|kitty", "-pw[ \\t]{1,4}"],
  ["ldapsearch|ldapmodify|ldapadd|ldapdelete|ldappasswd|ldapwhoami", "-w[ \\t]{0,4}"],
  ["security add-generic-password|security add-internet-password", "-w[ \\t]{1,4}"],
  ["keytool|jarsigner|apksigner", "-(?:store|key|srcstore|deststore)pass[ \\t]{1,4}"],
  ["x11vnc", "-passwd[ \\t]{1,4}"],
  ["xfreerdp|xfreerdp3|wlfreerdp", "/p:"],
  ["schtasks|schtasks\\.exe", "/r?p[ \\t]{1,4}"],
  ["htpasswd", "-(?=\\w{0,8}b)(?=\\w{0,8}n)\\w{1,8}[ \\t]{1,4}\\S{1,256}[ \\t]{1,4}"],
  ["htpasswd", "-(?=\\w{0,8}b)(?!\\w{0,8}n)\\w{1,8}[ \\t]{1,4}(?:\\S{1,256}[ \\t]{1,4}){2}"],
  ["rabbitmqctl", "(?:add_user|change_password)[ \\t]{1,4}\\S{1,256}[ \\t]{1,4}"],
  // Right after the name of a network, and not in a sentence.
  [
    "wpa_passphrase",
    String.raw`(?<=\bwpa_passphrase[ \t]{1,4}(?:\\{0,8}"[^"\n]{1,72}"|'[^'\n]{1,64}'|(?:\\ |\S){1,64})[ \t]{1,4})(?![A-Za-z]+[ \t]+[A-Za-z])`,
  ],
  ["mysqladmin", "password[ \\t]{1,4}", hasUser],
  ["mc alias set", "\\S{1,64}[ \\t]{1,4}https?:\\S{1,256}[ \\t]{1,4}\\S{1,256}[ \\t]{1,4}"],
  ["poetry config|composer config", "http-basic\\.\\S{1,128}[ \\t]{1,4}\\S{1,128}[ \\t]{1,4}"],
  ["az keyvault secret set", "--value[ =]{1,4}"],
  ["aws ssm put-parameter", "--value[ =]{1,4}", "(?=[^\\n]{0,400}SecureString)"],
  ["gh secret set", "(?:-b|--body)[ =]{0,4}"],
  // Tokens. Prose has these words, too, so a digit has to follow.
  [
    "vault|wandb|cargo|snyk|ngrok",
    "(?:login|auth|(?:config )?(?:add-)?authtoken)[ \\t]{1,4}(?=\\S{0,256}\\d)",
  ],
  ["vault operator unseal", "(?=\\S{0,256}\\d)"],
  ["influx|codecov|vercel", "-t[ \\t]{1,4}(?=\\S{0,256}\\d)"],
  ["nmcli", "password[ \\t]{1,4}"],
  ["swaks", "-ap[ \\t]{1,4}"],
  ["openssl", "-[kK][ \\t]{1,4}"],
  ["nuget push", "-k[ \\t]{1,4}"],
];
