CREATE TABLE rulelab_schema (version INTEGER NOT NULL);
CREATE TABLE runs (
  hash VARCHAR(64) NOT NULL, name TEXT NOT NULL, made VARCHAR(32) NOT NULL, deleted VARCHAR(32),
  family TEXT NOT NULL, data TEXT NOT NULL, status TEXT NOT NULL, objective FLOAT, lower_bound FLOAT,
  about TEXT NOT NULL, PRIMARY KEY (hash)
);
CREATE INDEX ix_runs_made ON runs (made);
CREATE TABLE files (hash VARCHAR(64) NOT NULL, content BLOB NOT NULL, PRIMARY KEY (hash));
CREATE TABLE parts (
  run VARCHAR(64) NOT NULL, kind VARCHAR(16) NOT NULL, file VARCHAR(64) NOT NULL, PRIMARY KEY (run, kind)
);
CREATE INDEX ix_parts_file ON parts (file);
INSERT INTO rulelab_schema VALUES (1);
