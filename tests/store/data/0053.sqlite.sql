BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL CONSTRAINT alembic_version_pkc PRIMARY KEY);
INSERT INTO "alembic_version" VALUES('0053');
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
INSERT INTO "answer_webhooks" VALUES('HxJWsyPIpTdqYT0g','ada',0,'',NULL,NULL,'k1.nf-zpVirE35m5k6d3W8lRXswLN-W5kky3HjQDFt9qYsVhCPIuvCfnZBXkraS-aLhpsrYKlhksrPKYQOqlAA1AtiwCYcBU64=');
CREATE TABLE audit (
	id INTEGER NOT NULL,
	at DATETIME NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	way VARCHAR(32) NOT NULL,
	address VARCHAR(255) NOT NULL,
	action VARCHAR(32) NOT NULL,
	object VARCHAR(255) NOT NULL,
	outcome VARCHAR(32) NOT NULL,
	credential VARCHAR(80) DEFAULT '' NOT NULL,
	details JSON,
	CONSTRAINT pk_audit PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES(1,'2026-11-24 14:38:48.209331','','oidc','192.0.2.7','server_added','x1yl0110k6TayxaS','','','{"label": "travel", "address": "http://127.0.0.1/mcp"}');
INSERT INTO "audit" VALUES(2,'2026-11-24 14:38:48.238027','','oidc','192.0.2.7','answered','declined','declined','',NULL);
INSERT INTO "audit" VALUES(3,'2026-11-24 14:38:48.242723','','oidc','192.0.2.7','answered','saved','accepted','',NULL);
INSERT INTO "audit" VALUES(4,'2026-11-24 14:38:48.247881','','oidc','192.0.2.7','server_signed_in','x1yl0110k6TayxaS','','','{"issuer": "https://as.example", "scopes": ["read"]}');
INSERT INTO "audit" VALUES(5,'2026-11-24 14:38:48.255850','','oidc','192.0.2.7','notice_target_added','t1','','','{"kind": "webhook", "label": "bot"}');
INSERT INTO "audit" VALUES(6,'2026-11-24 14:38:48.259801','','oidc','192.0.2.7','token_made','qKH8u87BIR7U0Z2w','','','{"label": "Agent", "scopes": ["ask"], "user": "ada"}');
INSERT INTO "audit" VALUES(7,'2026-11-24 14:38:48.264894','','oidc','192.0.2.7','program_muted','x1yl0110k6TayxaS','','','{"label": "travel"}');
INSERT INTO "audit" VALUES(8,'2026-11-24 14:38:48.275349','','oidc','192.0.2.7','server_added','guarded','','','{"label": "travel", "address": "https://\u2022\u2022\u2022@mcp.example/mcp?key=\u2022\u2022\u2022", "headers": ["Authorization", "X-Tenant"]}');
INSERT INTO "audit" VALUES(9,'2026-11-24 14:38:48.316247','UyD4FkFs0lQcUMG7','oidc','192.0.2.7','first_seen','UyD4FkFs0lQcUMG7','','',NULL);
INSERT INTO "audit" VALUES(10,'2026-11-24 14:38:48.318464','P79Kb92OrDVUFiba','oidc','192.0.2.7','first_seen','P79Kb92OrDVUFiba','','',NULL);
INSERT INTO "audit" VALUES(11,'2026-11-24 14:38:48.324042','','oidc','192.0.2.7','user_disabled','P79Kb92OrDVUFiba','','',NULL);
INSERT INTO "audit" VALUES(12,'2026-11-24 14:38:48.326084','UyD4FkFs0lQcUMG7','oidc','192.0.2.7','signed_in','UyD4FkFs0lQcUMG7','','',NULL);
INSERT INTO "audit" VALUES(13,'2026-11-24 14:38:48.326400','','oidc','192.0.2.7','signed_in','','','',NULL);
INSERT INTO "audit" VALUES(14,'2026-11-24 14:38:48.326903','','oidc','192.0.2.7','sign_in_refused','3','refused','',NULL);
INSERT INTO "audit" VALUES(15,'2026-11-24 14:38:48.331725','UyD4FkFs0lQcUMG7','oidc','192.0.2.7','embed_session_begun','chat','','',NULL);
INSERT INTO "audit" VALUES(16,'2026-11-24 14:38:48.333164','UyD4FkFs0lQcUMG7','oidc','192.0.2.7','embed_session_begun','chat','','',NULL);
INSERT INTO "audit" VALUES(17,'2026-11-24 14:38:48.335988','','oidc','192.0.2.7','embed_sessions_ended','chat','1','',NULL);
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
INSERT INTO "browser_sessions" VALUES('2a270f64c0a9409199e9fa12c2edefd05f3b15ac12e8ec2cac358255ec1bbe16','UyD4FkFs0lQcUMG7','2126-10-31 14:38:48.324557','oidc',86400,'2026-11-25 14:38:48.324974','p-1','2026-11-24 14:38:48.324964','2026-11-24 14:38:48.324966','','');
CREATE TABLE call_logs (
	call_id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	entries JSON NOT NULL,
	omitted INTEGER NOT NULL,
	CONSTRAINT pk_call_logs PRIMARY KEY (call_id)
);
INSERT INTO "call_logs" VALUES('pwLmRl1yRJkEKRsz','ada','[{"at": "2026-11-24T14:38:47.644787+00:00", "level": "info", "logger": "", "text": "booked", "shared": false}]',0);
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
	size INTEGER DEFAULT '0' NOT NULL,
	result_size INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT pk_calls PRIMARY KEY (id)
);
INSERT INTO "calls" VALUES('pwLmRl1yRJkEKRsz','ada','x1yl0110k6TayxaS','travel','tool','book','{"token": null}','running',0,NULL,NULL,NULL,'2026-11-24 14:38:47.644225','2026-11-24 14:38:47.644226',NULL,'api',NULL,'travel
book','["token"]','"k1.X9okuf-1MQh3vq5EVicBTVGE94FhEowCrUh9WF3xxLmSv3mLhuQy-e0-"',NULL,0,'local',1,0,'
',NULL,22,4);
INSERT INTO "calls" VALUES('ended','ada','x1yl0110k6TayxaS','travel','tool','book','{"token": null}','done',0,NULL,'{"content": []}',NULL,'2026-11-24 14:38:47.644225','2026-11-24 14:38:47.644226',NULL,'api',NULL,'travel
book','["token"]','"k1.h-kPPfBLE9GbQGGVJ-ALEfzP068-nqKW_-k2pdsn3m6Zz7ofikBwGLWj"',NULL,0,'local',1,0,'
',NULL,22,21);
INSERT INTO "calls" VALUES('waits-round','ada','x1yl0110k6TayxaS','travel','tool','book','{"token": null}','input_required',2,NULL,NULL,NULL,'2026-11-24 14:38:47.644225','2026-11-24 14:38:48.276596','{"version": 1, "kind": "round", "round": 1, "requests": {"k": "asked"}, "state": "s", "unanswered_before": 0}','api',NULL,'travel
book','["token"]','"k1.WFzCD2qGsaABjXiok8HBXzB4eM4tdv98fY7wzI-ubKZ9JY6m5mnv2DIS"',NULL,0,'local',1,0,'
',NULL,22,4);
INSERT INTO "calls" VALUES('waits-links','ada','x1yl0110k6TayxaS','travel','tool','book','{"token": null}','input_required',2,NULL,NULL,NULL,'2026-11-24 14:38:47.644225','2026-11-24 14:38:48.278221','{"version": 1, "kind": "links", "round": 2, "requests": {"e1": "link"}, "error": {"code": -32042}, "answers": {"k": {}}, "state": null, "unanswered_before": 0}','api',NULL,'travel
book','["token"]','"k1.S3GGlAyYeOf3yWHOiNOw8tp7wl7OrAxr9sOyW-k52CxDUr2H0VAoJHc7"',NULL,0,'local',1,0,'
',NULL,22,4);
INSERT INTO "calls" VALUES('waits-unsent','ada','x1yl0110k6TayxaS','travel','tool','book','{"token": null}','input_required',2,NULL,NULL,NULL,'2026-11-24 14:38:47.644225','2026-11-24 14:38:48.279090','{"version": 1, "kind": "unsent", "as_task": true}','api',NULL,'travel
book','["token"]','"k1.S4MUEg7kXLSzdqbz86oO0xYxHs1L-oQ6RWp0_DGipkLzAu5bQwLhUsbe"',NULL,0,'local',1,0,'
',NULL,22,4);
INSERT INTO "calls" VALUES('waits-task','ada','x1yl0110k6TayxaS','travel','tool','book','{"token": null}','input_required',2,NULL,NULL,NULL,'2026-11-24 14:38:47.644225','2026-11-24 14:38:48.280024','{"version": 1, "kind": "task", "generation": "2025-11-25", "task_id": "t-9", "round": 0, "requests": {}, "progress_token": 7}','api',NULL,'travel
book','["token"]','"k1.jLa4oM4ZzKta5IrrnoYWPQ08RIkOGeziTsw9AZkQy71gLEbwufcWIf1p"',NULL,0,'local',1,0,'
',NULL,22,4);
INSERT INTO "calls" VALUES('is-done','ada','x1yl0110k6TayxaS','travel','tool','book','{"token": null}','done',0,NULL,'{"content": [{"type": "text", "text": "booked"}], "isError": true}',NULL,'2026-11-24 14:38:47.644225','2026-11-24 14:38:48.280921',NULL,'api',NULL,'travel
book','["token"]',NULL,NULL,0,'local',1,1,'

booked','{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T14:38:48.280845+00:00"}',22,84);
INSERT INTO "calls" VALUES('is-failed','ada','x1yl0110k6TayxaS','travel','tool','book','{"token": null}','failed',0,NULL,NULL,'{"code": -32603, "message": "disk on fire", "data": [1, null], "reconnect_with": "2025-11-25", "reason_code": "server_time_limit", "reason_params": {"label": "Zo\u00eb''s kettle", "duration": 90}}','2026-11-24 14:38:47.644225','2026-11-24 14:38:48.288198',NULL,'api',NULL,'travel
book
zoë''s kettle
1 min 30 s','["token"]',NULL,NULL,0,'local',1,0,'
','{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T14:38:48.288090+00:00"}',22,4);
INSERT INTO "calls" VALUES('is-cancelled','ada','x1yl0110k6TayxaS','travel','tool','book','{"token": null}','cancelled',0,NULL,NULL,'{"reason_code": "call_cancelled"}','2026-11-24 14:38:47.644225','2026-11-24 14:38:48.292969',NULL,'api',NULL,'travel
book
','["token"]',NULL,NULL,0,'local',1,0,'
','{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T14:38:48.292753+00:00"}',22,4);
INSERT INTO "calls" VALUES('is-interrupted','ada','x1yl0110k6TayxaS','travel','tool','book','{"token": null}','interrupted',0,NULL,NULL,'{"reason_code": "connection_lost"}','2026-11-24 14:38:47.644225','2026-11-24 14:38:48.297289',NULL,'api',NULL,'travel
book
','["token"]',NULL,NULL,0,'local',1,0,'
','{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T14:38:48.297168+00:00"}',22,4);
CREATE TABLE drafts (
	user_id VARCHAR(255) NOT NULL,
	request_id VARCHAR(32) NOT NULL,
	texts JSON NOT NULL,
	updated_at DATETIME NOT NULL,
	prefilled BOOLEAN DEFAULT 0 NOT NULL,
	CONSTRAINT pk_drafts PRIMARY KEY (user_id, request_id)
);
INSERT INTO "drafts" VALUES('ada','HxJWsyPIpTdqYT0g','{"f0": ["typed"]}','2026-11-24 14:38:48.217974',1);
INSERT INTO "drafts" VALUES('ada','declined','{"f0": ["typed"]}','2026-11-24 14:38:48.220371',1);
INSERT INTO "drafts" VALUES('ada','asked','{"f0": ["typed"]}','2026-11-24 14:38:48.225084',1);
INSERT INTO "drafts" VALUES('ada','expired','{"f0": ["typed"]}','2026-11-24 14:38:48.231083',0);
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
INSERT INTO "embed_sessions" VALUES('de0f83907629dc9636161ac88072d7cce7348a3edc818a2b85af4f27711e76cb','UyD4FkFs0lQcUMG7','chat','g','h-1','https://chat.example','["read", "answer"]','2126-10-31 14:38:48.328269','2026-11-24 14:38:48.331807','2026-11-24 14:38:48.331808','','');
CREATE TABLE ended_embed_sessions (
	session_hash VARCHAR(64) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	embedder VARCHAR(64) NOT NULL,
	forgotten_at DATETIME NOT NULL,
	CONSTRAINT pk_ended_embed_sessions PRIMARY KEY (session_hash)
);
INSERT INTO "ended_embed_sessions" VALUES('c6440622aa23ffef70e014ce4d486ea0c81355725c17968b4bf0f91130b6ec44','UyD4FkFs0lQcUMG7','chat','2026-12-24 14:38:48.334077');
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
INSERT INTO "grants" VALUES('ada','x1yl0110k6TayxaS','https://as.example','http://127.0.0.1/mcp','["read", "write"]','["read"]','2026-11-24 15:38:47.644728',1,NULL,'k1.3oUjfrxi6ctm0nnAbAaFaUwA5wfcFbWgl1rcxsRRciwXuLAYlHQUhzmRg-WwVKzyDd8OqX8Fke4-0W64u2pc');
CREATE TABLE muted_programs (
	user_id VARCHAR(255) NOT NULL,
	asker_id VARCHAR(64) NOT NULL,
	label TEXT NOT NULL,
	muted_at DATETIME NOT NULL,
	CONSTRAINT pk_muted_programs PRIMARY KEY (user_id, asker_id)
);
INSERT INTO "muted_programs" VALUES('ada','x1yl0110k6TayxaS','travel','2026-11-24 14:38:48.264533');
CREATE TABLE nodes (
	id VARCHAR(255) NOT NULL,
	generation INTEGER NOT NULL,
	started_at DATETIME NOT NULL,
	CONSTRAINT pk_nodes PRIMARY KEY (id)
);
INSERT INTO "nodes" VALUES('local',1,'2026-11-24 14:38:48.195378');
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
INSERT INTO "notice_settings" VALUES('ada',10,NULL,'2026-11-24 14:38:47.644766','sent',1,'k1.c0nQS8wLXSjb-EI5rHLVB5UHiUB-PxtshHfG-dSruSpcsdjtq1zHF27JjhEamPCH7qDys9ugjP_PU2qX8KHmzqHelYQQCuc=');
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
INSERT INTO "notice_targets" VALUES('t1','ada','webhook','bot','en','2026-11-24 14:38:47.644764',NULL,'',NULL,'k1.Wp_bcATILBK6lrMqPG9TQZt0HMPz8QNNrUOa2n2c0X8vReTnzymhYFd2sX_RwgxiUF3efZVjB9Q=');
CREATE TABLE notices (
	target_id VARCHAR(32) NOT NULL,
	id VARCHAR(32) NOT NULL,
	user_id VARCHAR(255) NOT NULL,
	failures INTEGER NOT NULL,
	next_at DATETIME NOT NULL,
	CONSTRAINT pk_notices PRIMARY KEY (target_id)
);
INSERT INTO "notices" VALUES('t1','n1','ada',0,'2026-11-24 14:38:47.644766');
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
INSERT INTO "pending_sign_ins" VALUES('hnuTySohRXWER6Yy','ada','x1yl0110k6TayxaS','https://as.example','["read", "write"]','["write"]','0000000000000000000000000000000000000000000000000000000000000000',NULL,'2026-11-24 14:38:47.644725','2026-11-24 15:38:47.644708',NULL,'k1.aOr1Dyc1LUR3VF-0kL6IKTO2XnDn5YpvjpGLHLw5eEao7R3x5wFIIWmNWfRx_WjjrnwsXXdwP6kna7kD_E1X6PdaLHNZoU5AT-FqfyimbcVW8G5_t3i-UFZzsvEqUKT1Kf6X-ykeDL9D3GtOr4C-oe3NuzU1lRjKajmWv5KMsJdwVfYqRY4zASAqtQ==');
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
INSERT INTO "program_tokens" VALUES('qKH8u87BIR7U0Z2w','ada','8a8da5b1764b88a7edaa98f5316d9a8b5f34a2f257f5b19cce0224bccf954b6b','Agent','["ask"]','cret','2026-11-24 14:38:47.644785',NULL,NULL,NULL,NULL);
CREATE TABLE registrations (
	user_id VARCHAR(255) NOT NULL,
	digest VARCHAR(64) NOT NULL,
	issuer TEXT NOT NULL,
	redirect_uri TEXT NOT NULL,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_registrations PRIMARY KEY (user_id, digest)
);
INSERT INTO "registrations" VALUES('ada','ffc344c5518579361da04c7fd76c87be0d35f801975c8646a2043c0eb355ea7a','https://as.example','http://127.0.0.1:8765/oauth/callback','k1.E7Zu198pApeUust3ebRNL7EHgXIDd7Z9UxYMkqBnuLljSUT13SXQ4Bxt8j3cltK-qjLJj5M6l4EWRu0R-S6I-TY_');
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
	excerpt TEXT DEFAULT '' NOT NULL,
	call_name TEXT,
	parts INTEGER DEFAULT '0' NOT NULL,
	size INTEGER DEFAULT '0' NOT NULL,
	other_size INTEGER DEFAULT '0' NOT NULL,
	decline_message TEXT,
	CONSTRAINT pk_requests PRIMARY KEY (id)
);
INSERT INTO "requests" VALUES('HxJWsyPIpTdqYT0g','ada','x1yl0110k6TayxaS',NULL,'form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,'2026-11-25 14:38:47.644249','2026-11-24 14:38:47.644275',NULL,1,NULL,NULL,'pushed',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,'["pwLmRl1yRJkEKRsz"]',NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'née ☃',NULL,0,91,8,NULL);
INSERT INTO "requests" VALUES('expired','ada','x1yl0110k6TayxaS',NULL,'form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'expired',NULL,NULL,NULL,'2026-11-24 14:38:47.644391','2026-11-24 14:38:48.231726',1,NULL,NULL,'pushed',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'née ☃',NULL,0,91,8,NULL);
INSERT INTO "requests" VALUES('declined','ada','x1yl0110k6TayxaS','ended','form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'declined',NULL,NULL,NULL,'2026-11-24 14:38:47.644429','2026-11-24 14:38:48.236392',1,'page',NULL,'pushed',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'née ☃',NULL,0,91,8,NULL);
INSERT INTO "requests" VALUES('sent','ada','x1yl0110k6TayxaS','pwLmRl1yRJkEKRsz','form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'accepted',NULL,'{"name": null}',NULL,'2026-11-24 14:38:47.644464','2026-11-24 14:38:48.238472',1,NULL,'sending','round',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','["name"]','"k1.egHBlFNubbnhIFJ_4g8Uetpq9DkboLufkzIih6oo2Wf9NVzF1E0CJQz0VQ=="',NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'name',NULL,NULL,NULL,NULL,'2026-11-24 14:38:47.644766','née ☃',NULL,0,91,31,NULL);
INSERT INTO "requests" VALUES('saved','ada','x1yl0110k6TayxaS','pwLmRl1yRJkEKRsz','form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'accepted',NULL,'{"name": "Ada"}',NULL,'2026-11-24 14:38:47.644543','2026-11-24 14:38:48.241252',1,'page','saved','round',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'name ada',NULL,NULL,NULL,NULL,NULL,'née ☃',NULL,0,91,31,NULL);
INSERT INTO "requests" VALUES('asked','ada','x1yl0110k6TayxaS','pwLmRl1yRJkEKRsz','form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,NULL,'2026-11-24 14:38:47.644580',NULL,1,NULL,NULL,'round',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'née ☃',NULL,0,91,8,NULL);
INSERT INTO "requests" VALUES('link','ada','x1yl0110k6TayxaS',NULL,'form','{"url": "https://a.example", "elicitationId": "e1"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'waiting',NULL,NULL,NULL,'2026-11-24 14:38:47.644610','2026-11-24 14:38:48.269795',1,NULL,NULL,'pushed','2026-11-24 14:38:48.268901','52dfbe3be6487ac145126773a10f5eedf3a72b0a63a8d90f690614989f3f0c1b','travel
','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'',NULL,0,51,8,NULL);
INSERT INTO "requests" VALUES('hosted','ada','x1yl0110k6TayxaS',NULL,'form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'accepted',NULL,'{"name": "Ada"}',NULL,'2026-11-24 14:38:47.644641','2026-11-24 14:38:48.243181',1,NULL,'sending','hosted',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'name ada',NULL,NULL,NULL,'t-1',NULL,'née ☃',NULL,0,91,31,NULL);
INSERT INTO "requests" VALUES('other','ada','program-1',NULL,'form','{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,NULL,'2026-11-24 14:38:47.644677',NULL,1,NULL,NULL,'pushed',NULL,'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888','travel
née ☃','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'née ☃',NULL,0,91,8,NULL);
INSERT INTO "requests" VALUES('is-pending','ada','x1yl0110k6TayxaS',NULL,'form','{"message": "Is it pending?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,NULL,'2026-11-24 14:38:48.298792',NULL,1,NULL,NULL,'pushed',NULL,'574a5b54196b766b5d170627284a494aab2bc594622c37e5e977c9ee251a3981','travel
is it pending?','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it pending?',NULL,0,29,8,NULL);
INSERT INTO "requests" VALUES('is-accepted','ada','x1yl0110k6TayxaS',NULL,'form','{"message": "Is it accepted?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'accepted',NULL,'{"name": "Ada"}',NULL,'2026-11-24 14:38:48.299998','2026-11-24 14:38:48.300857',1,NULL,'delivered','pushed',NULL,'f906d06ae59a60d0fd6860cbd2518aa48982d7f3d280958600c2b873cb221610','travel
is it accepted?','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'name ada',NULL,NULL,NULL,NULL,NULL,'Is it accepted?',NULL,0,30,31,NULL);
INSERT INTO "requests" VALUES('is-declined','ada','x1yl0110k6TayxaS',NULL,'form','{"message": "Is it declined?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'declined',NULL,NULL,NULL,'2026-11-24 14:38:48.301543','2026-11-24 14:38:48.302321',1,NULL,NULL,'pushed',NULL,'a8541031d254baeddb05b491d6e773c5b0a6ce11cafefec215ca05ce820371ef','travel
is it declined?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it declined?',NULL,0,30,8,NULL);
INSERT INTO "requests" VALUES('is-cancelled','ada','x1yl0110k6TayxaS',NULL,'form','{"message": "Is it cancelled?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'cancelled',NULL,NULL,NULL,'2026-11-24 14:38:48.303162','2026-11-24 14:38:48.303962',1,NULL,NULL,'pushed',NULL,'aa6a697c93ff74a29914802b52b6196a2123c356eaa4432d1c0ba5d4090bab85','travel
is it cancelled?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it cancelled?',NULL,0,31,8,NULL);
INSERT INTO "requests" VALUES('is-withdrawn','ada','x1yl0110k6TayxaS',NULL,'form','{"message": "Is it withdrawn?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'withdrawn',NULL,NULL,NULL,'2026-11-24 14:38:48.304570','2026-11-24 14:38:48.305336',1,NULL,NULL,'pushed',NULL,'6490e8317442e1a8aff0e2f2e37e16f06c5c514af324980c921eb64b754f7572','travel
is it withdrawn?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it withdrawn?',NULL,0,31,8,NULL);
INSERT INTO "requests" VALUES('is-expired','ada','x1yl0110k6TayxaS',NULL,'form','{"message": "Is it expired?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'expired',NULL,NULL,NULL,'2026-11-24 14:38:48.305923','2026-11-24 14:38:48.306801',1,NULL,NULL,'pushed',NULL,'79be4f2bfde15e1b16178d1883a02f08e29f7a7b3a6dc5288b82e7c85fc3333e','travel
is it expired?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it expired?',NULL,0,29,8,NULL);
INSERT INTO "requests" VALUES('is-interrupted','ada','x1yl0110k6TayxaS',NULL,'form','{"message": "Is it interrupted?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'interrupted',NULL,NULL,NULL,'2026-11-24 14:38:48.307379','2026-11-24 14:38:48.308136',1,NULL,NULL,'pushed',NULL,'3c15112a91d529c33f04062053531efa9103106167a351d2d10b52404616ab57','travel
is it interrupted?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it interrupted?',NULL,0,33,8,NULL);
INSERT INTO "requests" VALUES('is-refused','ada','x1yl0110k6TayxaS',NULL,'form','{"message": "Is it refused?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'refused',NULL,NULL,NULL,'2026-11-24 14:38:48.308755','2026-11-24 14:38:48.309564',1,NULL,NULL,'pushed',NULL,'b150d492ad648f1f4646658d53a6a41232088d9ef5cf62dc9f3644edb827ce30','travel
is it refused?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it refused?',NULL,0,29,8,NULL);
INSERT INTO "requests" VALUES('is-waiting','ada','x1yl0110k6TayxaS',NULL,'form','{"message": "Is it waiting?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'waiting',NULL,NULL,NULL,'2026-11-24 14:38:48.310111','2026-11-24 14:38:48.311252',1,NULL,NULL,'pushed',NULL,'9857efd9d4cc219a4da57ad7749bc8accbe5bcd68be30a23debcd638cf115675','travel
is it waiting?','[]',NULL,NULL,NULL,NULL,'server_time_limit','{"label": "Zo\u00eb''s kettle", "duration": 90}','zoë''s kettle
1 min 30 s','local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it waiting?',NULL,0,29,8,NULL);
INSERT INTO "requests" VALUES('is-completed','ada','x1yl0110k6TayxaS',NULL,'form','{"message": "Is it completed?"}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'completed',NULL,NULL,NULL,'2026-11-24 14:38:48.311826','2026-11-24 14:38:48.313417',1,NULL,NULL,'pushed','2026-11-24 14:38:48.312505','87545864d1fa394c8b44f2cc92381ed8c6f1a53179c3d20797473907eb86fed9','travel
is it completed?','[]',NULL,NULL,'api',NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,'Is it completed?',NULL,0,31,8,NULL);
INSERT INTO "requests" VALUES('sampled','ada','x1yl0110k6TayxaS',NULL,'sampling','{"messages": [{"role": "user", "content": {"type": "text", "text": "Sum up."}}], "maxTokens": 9}','{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}',NULL,NULL,1,1,'pending',NULL,NULL,NULL,'2026-11-24 14:38:48.313907',NULL,1,NULL,NULL,'pushed',NULL,'49da64501ca384208c8ce79f82bc6378dfb3013a6216420ba6060bd36a99484b','travel
sum up.','[]',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'local',1,NULL,NULL,'','{"stage": "reviewing", "conversation": "", "turn": 1, "seen": 0, "model": "m", "result": {"role": "assistant"}, "usage": {"input_tokens": 0, "output_tokens": 3, "cost": null, "currency": "", "is_estimate": false}, "by_rule": false, "approved": false, "approved_turns": 0}',NULL,NULL,NULL,NULL,'Sum up.',NULL,0,96,8,NULL);
CREATE TABLE sampling_spent (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	day VARCHAR(10) NOT NULL,
	requests INTEGER NOT NULL,
	tokens INTEGER NOT NULL,
	costs JSON NOT NULL,
	CONSTRAINT pk_sampling_spent PRIMARY KEY (user_id, server_id, day)
);
INSERT INTO "sampling_spent" VALUES('ada','x1yl0110k6TayxaS','2026-11-24',1,1,'{}');
CREATE TABLE saved_sessions (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	secrets TEXT NOT NULL,
	CONSTRAINT pk_saved_sessions PRIMARY KEY (user_id, server_id)
);
INSERT INTO "saved_sessions" VALUES('ada','x1yl0110k6TayxaS','k1.uwoHLqMsqjrKMhTsrRpdZCJ-jfSlKkt-ZnI81KRLFMonQf6Ys8cz8mZjLnyAizoAmig1NTLbeXP1GWHrND8t80wwDLzSBx31SuB838PJKyY926WbndxUcTs5r1mtSg1PzwbmhBaNiEBtvxUzg0AxxqK30WviVFOofKa58Go5lxjfUJnJ2K1X7XfAVZYjPATkCz-9Ot6akSOtjgpG5s721gFEKTIRErq4Ukka2jQ5VK6xLoLtqOZfsQWXjyChx6ch3KLdAMDo4BZNstLAooHtVi17btO5Q24ovbTzsVb5WJZ5r9umU1D6I1WxETW4s-muCColQnxUxGqTI8QPqYVWx0ewpXth4S4WfkC0P3jRDlHPGuJSyIoO_0B5T3ID-w8mhp21');
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
INSERT INTO "servers" VALUES('x1yl0110k6TayxaS','ada',NULL,'travel','{"type": "http", "url": "http://127.0.0.1/mcp"}','auto','2026-11-24 14:38:47.644202','["form", "url", "sampling"]',NULL,'{}','{}',NULL,'{}',NULL,'debug','[]',0);
INSERT INTO "servers" VALUES('guarded','ada',NULL,'travel','{"type": "http", "url": "https://\u2022\u2022\u2022@mcp.example/mcp?key=\u2022\u2022\u2022", "headers": {"Authorization": null, "X-Tenant": null}, "env": {"TOKEN": null}}','auto','2026-11-24 14:38:47.644202','["form", "url", "sampling"]',NULL,'{}','{"client_id": "our-client", "client_secret": null, "private_key": null, "idp_id_token": null}','k1.iskQd27RjjIb7pk_DPUhbfpdw502dtavWrG1Z3sA-hKYSWV2bVyCP5uelfZ_l4OIcFmkTVYUCTRMzgcwPozDH9HY-dNWgKCZgex0MJYoYT5bu3oL70t7uIBIZmM0dp-EJFtQcRnvazIVJjQc_o0hP6T_ghYbf7jl0Ue1gpHEb6DcdyvEPghGza_1qmGuOPZ4b40HYW5Wm-qZP6ddH0GKfpp5S3zZrid7u-nB-EtOdKPGNxX_vrQxclRr2uWX6Np-Q6j4fbnNOe5Zn1a5DzD8dnrB9pVHVYa_OaTn33D5SNasXlXG6eHUjgoMUXB_ztc44X5hE6HfTeiP5kqOa2IuZB1Kn1XuZs0GGliZs8frPguySHD6rMHFLkCtt2oBQpHaBQr8-vIFXvqJM0jL0jMdoz_-ErmG2uUULAmoJbdv2fm_Godx3V-QW7pa99t1HwzJeZlDXT1br2hx3go1ow==','{}',NULL,'debug','[]',0);
CREATE TABLE step_ups (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	scope_digest VARCHAR(64) NOT NULL,
	count INTEGER NOT NULL,
	last_at DATETIME NOT NULL,
	CONSTRAINT pk_step_ups PRIMARY KEY (user_id, server_id, scope_digest)
);
INSERT INTO "step_ups" VALUES('ada','x1yl0110k6TayxaS','10fd874b68dad080ed706762c8e163dabb20514bddae38fb159c56f714a3b143',1,'2026-11-24 14:38:48.250959');
CREATE TABLE task_choices (
	user_id VARCHAR(255) NOT NULL,
	server_id VARCHAR(32) NOT NULL,
	tool_digest VARCHAR(64) NOT NULL,
	CONSTRAINT pk_task_choices PRIMARY KEY (user_id, server_id, tool_digest)
);
INSERT INTO "task_choices" VALUES('ada','x1yl0110k6TayxaS','811f2a14b9850c9d9c7562f29228754bfabbd03407fb41f00994180bd9de98f2');
CREATE TABLE used_tokens (
	digest VARCHAR(64) NOT NULL,
	expires_at DATETIME NOT NULL,
	CONSTRAINT pk_used_tokens PRIMARY KEY (digest)
);
INSERT INTO "used_tokens" VALUES('c60ce4446b4d01e0017df290f5d4a2f47bdca50f319fd9c34b2e0b94e66c7a08','2126-10-31 14:38:48.328284');
INSERT INTO "used_tokens" VALUES('683abe4cd4862400384cb3d97aa9b037275a3da05fa87eb9aff48aba434d286d','2126-10-31 14:38:48.332736');
INSERT INTO "used_tokens" VALUES('bc8c66a01dde17fa570725675cfdb078eb039f43feae3f98817fd77e872d20b3','2126-10-31 14:38:48.336422');
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
	erasing_at DATETIME,
	CONSTRAINT pk_users PRIMARY KEY (id)
);
INSERT INTO "users" VALUES('local','local','local','','','admin','2026-11-24 14:38:48.200777','2026-11-24 14:38:48.200787',NULL,'2026-11-24 14:38:48.200789',NULL);
INSERT INTO "users" VALUES('UyD4FkFs0lQcUMG7','https://idp','g','Grace','','admin','2026-11-24 14:38:48.315859','2026-11-24 14:38:48.315860',NULL,'2026-11-24 14:38:48.315828',NULL);
INSERT INTO "users" VALUES('P79Kb92OrDVUFiba','https://idp','a','','alan@corp.example','user','2026-11-24 14:38:48.318118','2026-11-24 14:38:48.318118','2026-11-24 14:38:48.320759','2026-11-24 14:38:48.318099',NULL);
CREATE INDEX ix_answer_webhooks_user_id ON answer_webhooks (user_id);
CREATE INDEX ix_answer_webhooks_next_at ON answer_webhooks (next_at);
CREATE INDEX ix_audit_at ON audit (at);
CREATE INDEX ix_audit_user_id ON audit (user_id);
CREATE INDEX ix_audit_object ON audit (object);
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
CREATE INDEX ix_ended_embed_sessions_user_id ON ended_embed_sessions (user_id);
CREATE INDEX ix_ended_embed_sessions_forgotten_at ON ended_embed_sessions (forgotten_at);
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
CREATE INDEX ix_users_created_at_id ON users (created_at, id);
CREATE INDEX ix_users_disabled ON users (id) WHERE disabled_at IS NOT NULL;
COMMIT;
