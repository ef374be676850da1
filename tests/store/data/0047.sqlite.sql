BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL CONSTRAINT alembic_version_pkc PRIMARY KEY);
INSERT INTO "alembic_version" VALUES('0047');
CREATE TABLE answer_webhooks (
	request_id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	failures INTEGER NOT NULL,
	failure VARCHAR(64) NOT NULL,
	next_at DATETIME,
	ended_at DATETIME,
	secrets TEXT,
	CONSTRAINT pk_answer_webhooks PRIMARY KEY (request_id)
);
INSERT INTO "answer_webhooks" VALUES('8b5JwSFuDICcxBVb','ada',0,'',NULL,NULL,'k1.oQkqQSJDkXq372dIJQZsc2yX-qua-ywHo_Lg14TUkVbMG6_1dzQJikK7dCl1T1FnAn-fdjnl1Hl_YQpfr1jp1_7TivQpZQk=');
CREATE TABLE audit (
	id INTEGER NOT NULL,
	at DATETIME NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	way VARCHAR(32) NOT NULL,
	address VARCHAR(255) NOT NULL,
	action VARCHAR(32) NOT NULL,
	object VARCHAR(255) NOT NULL,
	outcome VARCHAR(32) NOT NULL,
	CONSTRAINT pk_audit PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES(1,'2026-11-24 14:38:35.414795','','oidc','192.0.2.7','server_added','7cRMKMrW7PfaF3pA','');
INSERT INTO "audit" VALUES(2,'2026-11-24 14:38:35.481496','','oidc','192.0.2.7','answered','declined','declined');
INSERT INTO "audit" VALUES(3,'2026-11-24 14:38:35.490169','','oidc','192.0.2.7','answered','saved','accepted');
INSERT INTO "audit" VALUES(4,'2026-11-24 14:38:35.553187','','oidc','192.0.2.7','server_added','guarded','');
INSERT INTO "audit" VALUES(5,'2026-11-24 14:38:35.718474','jnDe5X7tBv0yk7lR','oidc','192.0.2.7','first_seen','jnDe5X7tBv0yk7lR','');
INSERT INTO "audit" VALUES(6,'2026-11-24 14:38:35.718950','q6kyxrmPlOPV5QrU','oidc','192.0.2.7','first_seen','q6kyxrmPlOPV5QrU','');
INSERT INTO "audit" VALUES(7,'2026-11-24 14:38:35.725323','','oidc','192.0.2.7','user_disabled','q6kyxrmPlOPV5QrU','');
INSERT INTO "audit" VALUES(8,'2026-11-24 14:38:35.726873','jnDe5X7tBv0yk7lR','oidc','192.0.2.7','signed_in','jnDe5X7tBv0yk7lR','');
INSERT INTO "audit" VALUES(9,'2026-11-24 14:38:35.727177','','oidc','192.0.2.7','signed_in','','');
INSERT INTO "audit" VALUES(10,'2026-11-24 14:38:35.727379','','oidc','192.0.2.7','sign_in_refused','3','refused');
INSERT INTO "audit" VALUES(11,'2026-11-24 14:38:35.733841','jnDe5X7tBv0yk7lR','oidc','192.0.2.7','embed_session_begun','chat','');
INSERT INTO "audit" VALUES(12,'2026-11-24 14:38:35.735142','jnDe5X7tBv0yk7lR','oidc','192.0.2.7','embed_session_begun','chat','');
INSERT INTO "audit" VALUES(13,'2026-11-24 14:38:35.741681','','oidc','192.0.2.7','embed_sessions_ended','chat','1');
CREATE TABLE browser_sessions (
	session_hash VARCHAR(64) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	expires_at DATETIME NOT NULL,
	way VARCHAR(32) DEFAULT 'local' NOT NULL,
	idle_seconds INTEGER,
	idle_at DATETIME,
	provider_session VARCHAR(255),
	created_at DATETIME,
	used_at DATETIME,
	user_agent VARCHAR(255),
	address VARCHAR(255),
	CONSTRAINT pk_sign_ins PRIMARY KEY (session_hash)
);
INSERT INTO "browser_sessions" VALUES('43dbcc1febc5d0af9ad99f8e5ec961b1c7f90aeabb65983875738fcbf26fd674','jnDe5X7tBv0yk7lR','2126-10-31 14:38:35.725538','oidc',86400,'2026-11-25 14:38:35.725760','p-1','2026-11-24 14:38:35.725751','2026-11-24 14:38:35.725752','','');
CREATE TABLE call_logs (
	call_id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	entries JSON NOT NULL,
	omitted INTEGER NOT NULL,
	CONSTRAINT pk_call_logs PRIMARY KEY (call_id)
);
INSERT INTO "call_logs" VALUES('8OlwYxMeZYlxZmAQ','ada','[{"at": "2026-11-24T14:38:34.258958+00:00", "level": "info", "logger": "", "text": "booked", "shared": false}]',0);
CREATE TABLE calls (
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	server_label TEXT NOT NULL,
	kind VARCHAR(16) NOT NULL,
	name TEXT NOT NULL,
	arguments JSON,
	state VARCHAR(16) NOT NULL,
	round INTEGER NOT NULL,
	progress JSON,
	result JSON,
	error JSON,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	checkpoint JSON,
	via VARCHAR(16) DEFAULT 'page' NOT NULL,
	retry_of VARCHAR(32),
	search_text TEXT DEFAULT '' NOT NULL,
	withheld JSON,
	secrets JSON,
	erased_at DATETIME,
	may_wait BOOLEAN DEFAULT 0 NOT NULL,
	owner VARCHAR(255),
	generation INTEGER,
	tool_failed BOOLEAN DEFAULT 0 NOT NULL,
	values_text TEXT DEFAULT '' NOT NULL,
	task JSON,
	CONSTRAINT pk_calls PRIMARY KEY (id)
);
INSERT INTO "calls" VALUES('8OlwYxMeZYlxZmAQ','ada','7cRMKMrW7PfaF3pA','travel','tool','book','{"token": null}','running',0,NULL,NULL,NULL,'2026-11-24 14:38:34.258445','2026-11-24 14:38:34.258446',NULL,'api',NULL,'travel
book','["token"]','{"token": "x"}',NULL,0,'local',1,0,'
',NULL);
INSERT INTO "calls" VALUES('ended','ada','7cRMKMrW7PfaF3pA','travel','tool','book','{"token": null}','done',0,NULL,'{"content": []}',NULL,'2026-11-24 14:38:34.258445','2026-11-24 14:38:34.258446',NULL,'api',NULL,'travel
book','["token"]','{"token": "x"}',NULL,0,'local',1,0,'
',NULL);
INSERT INTO "calls" VALUES('waits-round','ada','7cRMKMrW7PfaF3pA','travel','tool','book','{"token": null}','input_required',2,NULL,NULL,NULL,'2026-11-24 14:38:34.258445','2026-11-24 14:38:35.557280','{"version": 1, "kind": "round", "round": 1, "requests": {"k": "asked"}, "state": "s", "unanswered_before": 0}','api',NULL,'travel
book','["token"]','{"token": "x"}',NULL,0,'local',1,0,'
',NULL);
INSERT INTO "calls" VALUES('waits-links','ada','7cRMKMrW7PfaF3pA','travel','tool','book','{"token": null}','input_required',2,NULL,NULL,NULL,'2026-11-24 14:38:34.258445','2026-11-24 14:38:35.561263','{"version": 1, "kind": "links", "round": 2, "requests": {"e1": "link"}, "error": {"code": -32042}, "answers": {"k": {}}, "state": null, "unanswered_before": 0}','api',NULL,'travel
book','["token"]','{"token": "x"}',NULL,0,'local',1,0,'
',NULL);
INSERT INTO "calls" VALUES('waits-unsent','ada','7cRMKMrW7PfaF3pA','travel','tool','book','{"token": null}','input_required',2,NULL,NULL,NULL,'2026-11-24 14:38:34.258445','2026-11-24 14:38:35.564692','{"version": 1, "kind": "unsent", "as_task": true}','api',NULL,'travel
book','["token"]','{"token": "x"}',NULL,0,'local',1,0,'
',NULL);
INSERT INTO "calls" VALUES('waits-task','ada','7cRMKMrW7PfaF3pA','travel','tool','book','{"token": null}','input_required',2,NULL,NULL,NULL,'2026-11-24 14:38:34.258445','2026-11-24 14:38:35.568751','{"version": 1, "kind": "task", "generation": "2025-11-25", "task_id": "t-9", "round": 0, "requests": {}, "progress_token": 7}','api',NULL,'travel
book','["token"]','{"token": "x"}',NULL,0,'local',1,0,'
',NULL);
INSERT INTO "calls" VALUES('is-done','ada','7cRMKMrW7PfaF3pA','travel','tool','book','{"token": null}','done',0,NULL,'{"content": [{"type": "text", "text": "booked"}], "isError": true}',NULL,'2026-11-24 14:38:34.258445','2026-11-24 14:38:35.569943',NULL,'api',NULL,'travel
book','["token"]',NULL,NULL,0,'local',1,1,'

booked','{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T14:38:35.569853+00:00"}');
INSERT INTO "calls" VALUES('is-failed','ada','7cRMKMrW7PfaF3pA','travel','tool','book','{"token": null}','failed',0,NULL,NULL,'{"code": -32603, "message": "disk on fire", "data": [1, null], "reconnect_with": "2025-11-25", "reason_code": "server_time_limit", "reason_params": {"label": "Zo\u00eb''s kettle", "duration": 90}}','2026-11-24 14:38:34.258445','2026-11-24 14:38:35.600976',NULL,'api',NULL,'travel
book
zoë''s kettle
1 min 30 s','["token"]',NULL,NULL,0,'local',1,0,'
','{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T14:38:35.600838+00:00"}');
INSERT INTO "calls" VALUES('is-cancelled','ada','7cRMKMrW7PfaF3pA','travel','tool','book','{"token": null}','cancelled',0,NULL,NULL,'{"reason_code": "call_cancelled"}','2026-11-24 14:38:34.258445','2026-11-24 14:38:35.637126',NULL,'api',NULL,'travel
book
','["token"]',NULL,NULL,0,'local',1,0,'
','{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T14:38:35.636885+00:00"}');
INSERT INTO "calls" VALUES('is-interrupted','ada','7cRMKMrW7PfaF3pA','travel','tool','book','{"token": null}','interrupted',0,NULL,NULL,'{"reason_code": "connection_lost"}','2026-11-24 14:38:34.258445','2026-11-24 14:38:35.660866',NULL,'api',NULL,'travel
book
','["token"]',NULL,NULL,0,'local',1,0,'
','{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T14:38:35.660721+00:00"}');
CREATE TABLE drafts (
	user_id VARCHAR(255) NOT NULL,
	request_id VARCHAR(32) NOT NULL,
	texts JSON NOT NULL,
	updated_at DATETIME NOT NULL,
	prefilled BOOLEAN DEFAULT 0 NOT NULL,
	CONSTRAINT pk_drafts PRIMARY KEY (user_id, request_id)
);
INSERT INTO "drafts" VALUES('ada','8b5JwSFuDICcxBVb','{"f0": ["typed"]}','2026-11-24 14:38:35.455028',1);
INSERT INTO "drafts" VALUES('ada','declined','{"f0": ["typed"]}','2026-11-24 14:38:35.469825',1);
INSERT INTO "drafts" VALUES('ada','asked','{"f0": ["typed"]}','2026-11-24 14:38:35.474169',1);
INSERT INTO "drafts" VALUES('ada','expired','{"f0": ["typed"]}','2026-11-24 14:38:35.476749',0);
CREATE TABLE embed_sessions (
	session_hash VARCHAR(64) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	embedder VARCHAR(64) NOT NULL,
	subject VARCHAR(255) NOT NULL,
	host_session VARCHAR(255),
	origin TEXT NOT NULL,
	scopes JSON NOT NULL,
	ends_at DATETIME NOT NULL,
	created_at DATETIME,
	used_at DATETIME,
	user_agent VARCHAR(255),
	address VARCHAR(255),
	CONSTRAINT pk_embed_sessions PRIMARY KEY (session_hash)
);
INSERT INTO "embed_sessions" VALUES('debd0a7c7f3b5327afcf6a394f77bb380715f7ad0018721393a8e2165ccafe70','jnDe5X7tBv0yk7lR','chat','g','h-1','https://chat.example','["read", "answer"]','2126-10-31 14:38:35.728051','2026-11-24 14:38:35.733917','2026-11-24 14:38:35.733917','','');
CREATE TABLE grants (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	issuer TEXT NOT NULL,
	resource TEXT,
	requested JSON NOT NULL,
	scopes JSON NOT NULL,
	expires_at DATETIME,
	version INTEGER NOT NULL,
	lease_until DATETIME,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_grants PRIMARY KEY (user_id, server_id)
);
INSERT INTO "grants" VALUES('ada','7cRMKMrW7PfaF3pA','https://as.example','http://127.0.0.1/mcp','["read", "write"]','["read"]','2026-11-24 15:38:34.258898',1,NULL,'k1.6gf5SAmwlcv8A3P6xX-0k6hWiiaTBiVJWlRZ3UObF4sySXC4Mgct8Vx6k5ivtNBP8zUu72bjxLbBWFmtDVcr');
CREATE TABLE muted_programs (
	user_id VARCHAR(255) NOT NULL,
	asker_id VARCHAR(64) NOT NULL,
	label TEXT NOT NULL,
	muted_at DATETIME NOT NULL,
	CONSTRAINT pk_muted_programs PRIMARY KEY (user_id, asker_id)
);
INSERT INTO "muted_programs" VALUES('ada','7cRMKMrW7PfaF3pA','travel','2026-11-24 14:38:35.538456');
CREATE TABLE nodes (
	id VARCHAR(255) NOT NULL,
	generation INTEGER NOT NULL,
	started_at DATETIME NOT NULL,
	CONSTRAINT pk_nodes PRIMARY KEY (id)
);
INSERT INTO "nodes" VALUES('local',1,'2026-11-24 14:38:35.368601');
CREATE TABLE notice_settings (
	user_id VARCHAR(255) NOT NULL,
	wait_seconds INTEGER NOT NULL,
	quiet JSON,
	last_at DATETIME,
	last_id VARCHAR(32) NOT NULL,
	unheeded INTEGER NOT NULL,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_notice_settings PRIMARY KEY (user_id)
);
INSERT INTO "notice_settings" VALUES('ada',10,NULL,'2026-11-24 14:38:34.258935','sent',1,'k1.ccAUUQTNd_fCDysHePdleuj7tTTf9wdMMlQ8VDar-qaoT0c5j3T9ibOmOfZJiOdlpVDSBQW_BplaED1ak2nAQKbRt91fvy8=');
CREATE TABLE notice_targets (
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	kind VARCHAR(16) NOT NULL,
	label TEXT NOT NULL,
	language VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	failing_since DATETIME,
	failure VARCHAR(64) NOT NULL,
	disabled_at DATETIME,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_notice_targets PRIMARY KEY (id)
);
INSERT INTO "notice_targets" VALUES('t1','ada','webhook','bot','en','2026-11-24 14:38:34.258933',NULL,'',NULL,'k1.kwENrKdkp5dp5GfG6Djs8Brf4beB7idqLAwxBJlvhy5FV9murJbqibJJBuugU-gw3QG5B_TtHlA=');
CREATE TABLE notices (
	target_id VARCHAR(32) NOT NULL,
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	failures INTEGER NOT NULL,
	next_at DATETIME NOT NULL,
	CONSTRAINT pk_notices PRIMARY KEY (target_id)
);
INSERT INTO "notices" VALUES('t1','n1','ada',0,'2026-11-24 14:38:34.258935');
CREATE TABLE pending_sign_ins (
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	issuer TEXT NOT NULL,
	scopes JSON NOT NULL,
	new_scopes JSON NOT NULL,
	state_hash VARCHAR(64) NOT NULL,
	nonce_hash VARCHAR(64),
	created_at DATETIME NOT NULL,
	expires_at DATETIME NOT NULL,
	used_at DATETIME,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_pending_sign_ins PRIMARY KEY (id)
);
INSERT INTO "pending_sign_ins" VALUES('fRhcChzuLcvN2agb','ada','7cRMKMrW7PfaF3pA','https://as.example','["read", "write"]','["write"]','0000000000000000000000000000000000000000000000000000000000000000',NULL,'2026-11-24 14:38:34.258895','2026-11-24 15:38:34.258878',NULL,'k1.TpU6p9U3i__0FAsN-F8EDs2hzkB1pW_Fvt2ZO_25hMCA_UwsVLlq2qZkI05z39J1mtrK3-k1AoQi6KDmT8BKGED9EXCCUN7JFQphpRYMAOmZCkD6QXxn0VA-aw-8-2EyFONZEalyiCEZzTpIjgkJ_jPsZUF3R8pGeSyxodRFdSr-JL9sAuYCYnw1vw==');
CREATE TABLE program_tokens (
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	token_hash VARCHAR(64) NOT NULL,
	label TEXT NOT NULL,
	scopes JSON NOT NULL,
	hint VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	used_at DATETIME,
	revoked_at DATETIME,
	muted_at DATETIME,
	may_ask JSON,
	CONSTRAINT pk_program_tokens PRIMARY KEY (id)
);
INSERT INTO "program_tokens" VALUES('IEwQFnIFatZWBF6P','ada','8a8da5b1764b88a7edaa98f5316d9a8b5f34a2f257f5b19cce0224bccf954b6b','Agent','["ask"]','cret','2026-11-24 14:38:34.258955',NULL,NULL,NULL,NULL);
CREATE TABLE registrations (
	user_id VARCHAR(255) NOT NULL,
	digest VARCHAR(64) NOT NULL,
	issuer TEXT NOT NULL,
	redirect_uri TEXT NOT NULL,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_registrations PRIMARY KEY (user_id, digest)
);
INSERT INTO "registrations" VALUES('ada','ffc344c5518579361da04c7fd76c87be0d35f801975c8646a2043c0eb355ea7a','https://as.example','http://127.0.0.1:8765/oauth/callback','k1.kMQz3hUs3affwPeJhPMXP26nMkC4OafMBXCb4c6kikXf0U-cEQNmlpPjouvDVjCLcKaKZA2fgt_OdPhhSLCi5jBi');
CREATE TABLE requests (
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	call_id VARCHAR(32),
	kind VARCHAR(16) NOT NULL,
	params JSON,
	asked_by JSON,
	during JSON,
	round INTEGER,
	position INTEGER NOT NULL,
	total INTEGER NOT NULL,
	state VARCHAR(16) NOT NULL,
	reason TEXT,
	content JSON,
	expires_at DATETIME,
	created_at DATETIME NOT NULL,
	settled_at DATETIME,
	count INTEGER DEFAULT '1' NOT NULL,
	via VARCHAR(16),
	delivery VARCHAR(16),
	came VARCHAR(16) DEFAULT 'pushed' NOT NULL,
	opened_at DATETIME,
	digest VARCHAR(64),
	search_text TEXT DEFAULT '' NOT NULL,
	withheld JSON,
	secrets JSON,
	erased_at DATETIME,
	ended_via VARCHAR(16),
	possible_calls JSON,
	reason_code VARCHAR(64),
	reason_params JSON,
	reason_search_text TEXT,
	owner VARCHAR(255),
	generation INTEGER,
	decided VARCHAR(16),
	undo_until DATETIME,
	values_text TEXT DEFAULT '' NOT NULL,
	sampling JSON,
	task_id TEXT,
	wire_id JSON,
	hosted_task_id VARCHAR(64),
	noticed_at DATETIME,
	CONSTRAINT pk_requests PRIMARY KEY (id)
);
INSERT INTO "requests" VALUES('8b5JwSFuDICcxBVb','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,'2026-11-25 14:38:34.258470','2026-11-24 14:38:34.258495',NULL,1,NULL,NULL,'pushed',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,'["8OlwYxMeZYlxZmAQ"]',NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('expired','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'expired',NULL,NULL,NULL,'2026-11-24 14:38:34.258622','2026-11-24 14:38:35.477011',1,NULL,NULL,'pushed',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('declined','ada','7cRMKMrW7PfaF3pA','ended','form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'declined',NULL,NULL,NULL,'2026-11-24 14:38:34.258657','2026-11-24 14:38:35.480179',1,'page',NULL,'pushed',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('sent','ada','7cRMKMrW7PfaF3pA','8OlwYxMeZYlxZmAQ','form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'accepted',NULL,'{"name": null}',NULL,'2026-11-24 14:38:34.258694','2026-11-24 14:38:35.484724',1,NULL,'sending','round',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','["name"]','{"name": "Ada"}',NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'name',NULL,NULL,NULL,NULL,'2026-11-24 14:38:34.258935');
INSERT INTO "requests" VALUES('saved','ada','7cRMKMrW7PfaF3pA','8OlwYxMeZYlxZmAQ','form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'accepted',NULL,'{"name": "Ada"}',NULL,'2026-11-24 14:38:34.258727','2026-11-24 14:38:35.488704',1,'page','saved','round',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'name ada',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('asked','ada','7cRMKMrW7PfaF3pA','8OlwYxMeZYlxZmAQ','form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,NULL,'2026-11-24 14:38:34.258756',NULL,1,NULL,NULL,'round',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('link','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"url": "https://a.example", "elicitationId": "e1"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'waiting',NULL,NULL,NULL,'2026-11-24 14:38:34.258784','2026-11-24 14:38:35.548740',1,NULL,NULL,'pushed','2026-11-24 14:38:35.548612','52dfbe3be6487ac145126773a10f5eedf3a72b0a63a8d90f690614989f3f0c1b','travel
','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('hosted','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'accepted',NULL,'{"name": "Ada"}',NULL,'2026-11-24 14:38:34.258814','2026-11-24 14:38:35.490550',1,NULL,'sending','hosted',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'name ada',NULL,NULL,NULL,'t-1',NULL);
INSERT INTO "requests" VALUES('other','ada','program-1',NULL,'form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,NULL,'2026-11-24 14:38:34.258849',NULL,1,NULL,NULL,'pushed',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('is-pending','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"message": "Is it pending?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,NULL,'2026-11-24 14:38:35.680933',NULL,1,NULL,NULL,'pushed',NULL,'574a5b54196b766b5d170627284a494aab2bc594622c37e5e977c9ee251a3981','travel
is it pending?','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('is-accepted','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"message": "Is it accepted?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'accepted',NULL,'{"name": "Ada"}',NULL,'2026-11-24 14:38:35.688798','2026-11-24 14:38:35.689628',1,NULL,'delivered','pushed',NULL,'f906d06ae59a60d0fd6860cbd2518aa48982d7f3d280958600c2b873cb221610','travel
is it accepted?','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'name ada',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('is-declined','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"message": "Is it declined?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'declined',NULL,NULL,NULL,'2026-11-24 14:38:35.690315','2026-11-24 14:38:35.691020',1,NULL,NULL,'pushed',NULL,'a8541031d254baeddb05b491d6e773c5b0a6ce11cafefec215ca05ce820371ef','travel
is it declined?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('is-cancelled','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"message": "Is it cancelled?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'cancelled',NULL,NULL,NULL,'2026-11-24 14:38:35.691646','2026-11-24 14:38:35.692244',1,NULL,NULL,'pushed',NULL,'aa6a697c93ff74a29914802b52b6196a2123c356eaa4432d1c0ba5d4090bab85','travel
is it cancelled?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('is-withdrawn','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"message": "Is it withdrawn?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'withdrawn',NULL,NULL,NULL,'2026-11-24 14:38:35.692801','2026-11-24 14:38:35.693371',1,NULL,NULL,'pushed',NULL,'6490e8317442e1a8aff0e2f2e37e16f06c5c514af324980c921eb64b754f7572','travel
is it withdrawn?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('is-expired','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"message": "Is it expired?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'expired',NULL,NULL,NULL,'2026-11-24 14:38:35.696617','2026-11-24 14:38:35.697295',1,NULL,NULL,'pushed',NULL,'79be4f2bfde15e1b16178d1883a02f08e29f7a7b3a6dc5288b82e7c85fc3333e','travel
is it expired?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('is-interrupted','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"message": "Is it interrupted?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'interrupted',NULL,NULL,NULL,'2026-11-24 14:38:35.697825','2026-11-24 14:38:35.698466',1,NULL,NULL,'pushed',NULL,'3c15112a91d529c33f04062053531efa9103106167a351d2d10b52404616ab57','travel
is it interrupted?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('is-refused','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"message": "Is it refused?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'refused',NULL,NULL,NULL,'2026-11-24 14:38:35.700583','2026-11-24 14:38:35.704710',1,NULL,NULL,'pushed',NULL,'b150d492ad648f1f4646658d53a6a41232088d9ef5cf62dc9f3644edb827ce30','travel
is it refused?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('is-waiting','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"message": "Is it waiting?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'waiting',NULL,NULL,NULL,'2026-11-24 14:38:35.705289','2026-11-24 14:38:35.705900',1,NULL,NULL,'pushed',NULL,'9857efd9d4cc219a4da57ad7749bc8accbe5bcd68be30a23debcd638cf115675','travel
is it waiting?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('is-completed','ada','7cRMKMrW7PfaF3pA',NULL,'form','{"message": "Is it completed?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'completed',NULL,NULL,NULL,'2026-11-24 14:38:35.706373','2026-11-24 14:38:35.712726',1,NULL,NULL,'pushed','2026-11-24 14:38:35.706864','87545864d1fa394c8b44f2cc92381ed8c6f1a53179c3d20797473907eb86fed9','travel
is it completed?','[]',NULL,NULL,'api',NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "requests" VALUES('sampled','ada','7cRMKMrW7PfaF3pA',NULL,'sampling','{"messages": [{"role": "user", "content": {"type": "text", "text": "Sum up."}}], "maxTokens": 9}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,NULL,'2026-11-24 14:38:35.716648',NULL,1,NULL,NULL,'pushed',NULL,'49da64501ca384208c8ce79f82bc6378dfb3013a6216420ba6060bd36a99484b','travel
sum up.','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'','{"stage": "reviewing", "conversation": "", "turn": 1, "seen": 0, "model": "m", "result": {"role": "assistant"}, "usage": {"input_tokens": 0, "output_tokens": 3, "cost": null, "currency": "", "is_estimate": false}, "by_rule": false, "approved": false, "approved_turns": 0}',NULL,NULL,NULL,NULL);
CREATE TABLE sampling_spent (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	day VARCHAR(10) NOT NULL,
	requests INTEGER NOT NULL,
	tokens INTEGER NOT NULL,
	costs JSON NOT NULL,
	CONSTRAINT pk_sampling_spent PRIMARY KEY (user_id, server_id, day)
);
INSERT INTO "sampling_spent" VALUES('ada','7cRMKMrW7PfaF3pA','2026-11-24',1,1,'{}');
CREATE TABLE saved_sessions (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_saved_sessions PRIMARY KEY (user_id, server_id)
);
INSERT INTO "saved_sessions" VALUES('ada','7cRMKMrW7PfaF3pA','k1.ULazaoIcvpBrplRhZAWYV7Rw8Q2_jQ-8iAuPFI35j5DFk_FRdyKc6B56Z5neCGPBfD5JhqFrMKUUB3_u6LzEOpI_xMuV2u5UaLVQArjFYUMbt_LmXaz1gzXOLtUaqMP-yHsUsAqb_tIcq_-oiwzhSNeVFLEbw8UiJCHmjD3utojp_CvjRqoinuD-xwGTSEQ7vkODgVkjXSyUucmncLQOpebaK1RiG4-BW7bCXGhHpI9D7Lffye3-qiVQairWCtGmqWQ8KQlIDmEXEUgpYXoXy9vnrvhQ29WmmTygBjQ_nS7ybfKZUTDkdjXZ85AxQ2vNR1gW-X66KJHaic562ceqb-lMvVS831jUmtSa1k_8HrJIlnwA94ZgtX0tHItz8iSWgGju');
CREATE TABLE servers (
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	name TEXT,
	label TEXT NOT NULL,
	transport JSON NOT NULL,
	era VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	modes JSON DEFAULT '["form", "url"]' NOT NULL,
	muted_at DATETIME,
	learned JSON DEFAULT '{}' NOT NULL,
	oauth JSON DEFAULT '{}' NOT NULL,
	secrets TEXT,
	sampling JSON DEFAULT '{}' NOT NULL,
	roots JSON,
	log_level VARCHAR(16) DEFAULT 'debug' NOT NULL,
	followed JSON DEFAULT '[]' NOT NULL,
	reconnects BOOLEAN DEFAULT 1 NOT NULL,
	CONSTRAINT pk_servers PRIMARY KEY (id)
);
INSERT INTO "servers" VALUES('7cRMKMrW7PfaF3pA','ada',NULL,'travel','{"type": "http", "url": "http://127.0.0.1/mcp"}','auto','2026-11-24 14:38:34.258417','["form", "url", "sampling"]',NULL,'{}','{}',NULL,'{}',NULL,'debug','[]',0);
INSERT INTO "servers" VALUES('guarded','ada',NULL,'travel','{"type": "http", "url": "https://\u2022\u2022\u2022@mcp.example/mcp?key=\u2022\u2022\u2022", "headers": {"Authorization": null, "X-Tenant": null}, "env": {"TOKEN": null}}','auto','2026-11-24 14:38:34.258417','["form", "url", "sampling"]',NULL,'{}','{"client_id": "our-client", "client_secret": null, "private_key": null, "idp_id_token": null}','k1.WVJgAY8EFWPHHmBmVNW555y55AI7dIArfIWUplMK9X6MlXoeDRbEnCd7LokPOhlmlO9gBatw26FmXCml-wYXe2gjEpVVFM8pH1MuQc6I0KyFm2HBuHvu9yfB5fMpBPuxCJrdz14hiDv3-yYdxqh6rc2te-x2EWnrF0Vexb2luBiHWgy2vgu6DZN3j0sqNv-yUZyTUJf0yyEOWtMVadabKi5QEyQF1ArgF7msU_xARyeFDay4lhw60FFRCYarfs1t2CbtYbRhHcT2ltMO29Fnj5k71Muta5QgUeH66ilXXLZ3gKS7fClD5-_OxGNoOKTflRNl0_CFUmdSAR236WOjggiZjs41h08eC5dMkXppvKzfcOIM1muiJLeiDCliz7jn-Es5GX7gDj3vc9laGxp_itIETcdmpn5pwjdOJCGV_tuLCeVjbxDZeOPxl-R7ghqFwE4EQDRFYf3B35cbFg==','{}',NULL,'debug','[]',0);
CREATE TABLE step_ups (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	scope_digest VARCHAR(64) NOT NULL,
	count INTEGER NOT NULL,
	last_at DATETIME NOT NULL,
	CONSTRAINT pk_step_ups PRIMARY KEY (user_id, server_id, scope_digest)
);
INSERT INTO "step_ups" VALUES('ada','7cRMKMrW7PfaF3pA','10fd874b68dad080ed706762c8e163dabb20514bddae38fb159c56f714a3b143',1,'2026-11-24 14:38:35.510604');
CREATE TABLE task_choices (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	tool_digest VARCHAR(64) NOT NULL,
	CONSTRAINT pk_task_choices PRIMARY KEY (user_id, server_id, tool_digest)
);
INSERT INTO "task_choices" VALUES('ada','7cRMKMrW7PfaF3pA','811f2a14b9850c9d9c7562f29228754bfabbd03407fb41f00994180bd9de98f2');
CREATE TABLE used_tokens (
	digest VARCHAR(64) NOT NULL,
	expires_at DATETIME NOT NULL,
	CONSTRAINT pk_used_tokens PRIMARY KEY (digest)
);
INSERT INTO "used_tokens" VALUES('c60ce4446b4d01e0017df290f5d4a2f47bdca50f319fd9c34b2e0b94e66c7a08','2126-10-31 14:38:35.728066');
INSERT INTO "used_tokens" VALUES('683abe4cd4862400384cb3d97aa9b037275a3da05fa87eb9aff48aba434d286d','2126-10-31 14:38:35.734749');
INSERT INTO "used_tokens" VALUES('bc8c66a01dde17fa570725675cfdb078eb039f43feae3f98817fd77e872d20b3','2126-10-31 14:38:35.741922');
CREATE TABLE users (
	id VARCHAR(255) NOT NULL,
	issuer VARCHAR(255) NOT NULL,
	subject VARCHAR(255) NOT NULL,
	name TEXT NOT NULL,
	email TEXT NOT NULL,
	role VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	seen_at DATETIME NOT NULL,
	disabled_at DATETIME,
	signed_in_at DATETIME,
	CONSTRAINT pk_users PRIMARY KEY (id)
);
INSERT INTO "users" VALUES('local','local','local','','','admin','2026-11-24 14:38:35.397592','2026-11-24 14:38:35.397598',NULL,'2026-11-24 14:38:35.397600');
INSERT INTO "users" VALUES('jnDe5X7tBv0yk7lR','https://idp','g','Grace','','admin','2026-11-24 14:38:35.718299','2026-11-24 14:38:35.718300',NULL,'2026-11-24 14:38:35.718270');
INSERT INTO "users" VALUES('q6kyxrmPlOPV5QrU','https://idp','a','','alan@corp.example','user','2026-11-24 14:38:35.718824','2026-11-24 14:38:35.718824','2026-11-24 14:38:35.719102','2026-11-24 14:38:35.718810');
CREATE INDEX ix_answer_webhooks_user_id ON answer_webhooks (user_id);
CREATE INDEX ix_answer_webhooks_next_at ON answer_webhooks (next_at);
CREATE INDEX ix_browser_sessions_user_id ON browser_sessions (user_id);
CREATE INDEX ix_calls_user_id_updated_at_id ON calls (user_id, updated_at, id);
CREATE INDEX ix_calls_user_id_created_at_id ON calls (user_id, created_at, id);
CREATE INDEX ix_calls_user_id_server_id_created_at_id ON calls (user_id, server_id, created_at, id);
CREATE INDEX ix_calls_state_user_id_server_id ON calls (state, user_id, server_id);
CREATE INDEX ix_calls_erased_at_updated_at ON calls (erased_at, updated_at);
CREATE INDEX ix_calls_secrets ON calls (id) WHERE secrets IS NOT NULL;
CREATE INDEX ix_embed_sessions_user_id ON embed_sessions (user_id);
CREATE INDEX ix_embed_sessions_ends_at ON embed_sessions (ends_at);
CREATE INDEX ix_embed_sessions_embedder_subject ON embed_sessions (embedder, subject);
CREATE INDEX ix_embed_sessions_embedder_host_session ON embed_sessions (embedder, host_session);
CREATE INDEX ix_notice_targets_user_id ON notice_targets (user_id);
CREATE INDEX ix_notices_next_at ON notices (next_at);
CREATE INDEX ix_pending_sign_ins_state_hash ON pending_sign_ins (state_hash);
CREATE UNIQUE INDEX ix_pending_sign_ins_user_id_server_id ON pending_sign_ins (user_id, server_id);
CREATE INDEX ix_program_tokens_user_id ON program_tokens (user_id);
CREATE INDEX ix_program_tokens_token_hash ON program_tokens (token_hash);
CREATE INDEX ix_requests_call_id ON requests (call_id);
CREATE INDEX ix_requests_user_id_state_created_at ON requests (user_id, state, created_at);
CREATE INDEX ix_requests_user_id_server_id_digest ON requests (user_id, server_id, digest);
CREATE INDEX ix_requests_state_expires_at ON requests (state, expires_at);
CREATE INDEX ix_requests_user_id_settled_at_id ON requests (user_id, settled_at, id);
CREATE INDEX ix_requests_user_id_created_at_position_id ON requests (user_id, created_at, position, id);
CREATE INDEX ix_requests_user_id_server_id_created_at_position_id ON requests (user_id, server_id, created_at, position, id);
CREATE INDEX ix_requests_user_id_state_server_id ON requests (user_id, state, server_id);
CREATE INDEX ix_requests_erased_at_settled_at ON requests (erased_at, settled_at);
CREATE INDEX ix_requests_secrets ON requests (id) WHERE secrets IS NOT NULL;
CREATE INDEX ix_requests_sending ON requests (id) WHERE delivery = 'sending';
CREATE INDEX ix_requests_possible_calls ON requests (user_id, created_at) WHERE possible_calls IS NOT NULL;
CREATE INDEX ix_requests_opened ON requests (user_id, server_id, created_at) WHERE opened_at IS NOT NULL;
CREATE INDEX ix_requests_hosted_task_id ON requests (hosted_task_id) WHERE hosted_task_id IS NOT NULL;
CREATE INDEX ix_requests_hosted ON requests (user_id, server_id, created_at, id) WHERE hosted_task_id IS NOT NULL;
CREATE INDEX ix_servers_user_id ON servers (user_id);
CREATE INDEX ix_used_tokens_expires_at ON used_tokens (expires_at);
CREATE UNIQUE INDEX ix_users_issuer_subject ON users (issuer, subject);
COMMIT;
