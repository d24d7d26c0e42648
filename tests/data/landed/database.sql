BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0021');
CREATE TABLE announcements (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	text TEXT NOT NULL, 
	level VARCHAR(16) NOT NULL, 
	starts DOUBLE, 
	ends DOUBLE, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_announcements PRIMARY KEY (id), 
	CONSTRAINT fk_announcements_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE assignments (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	project VARCHAR(64) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	title TEXT NOT NULL, 
	text TEXT NOT NULL, 
	spec JSON NOT NULL, 
	code JSON, 
	due DOUBLE, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_assignments PRIMARY KEY (id), 
	CONSTRAINT fk_assignments_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_assignments_project FOREIGN KEY(project) REFERENCES projects (id), 
	CONSTRAINT uq_assignments_project_name UNIQUE (project, name)
);
CREATE TABLE audit (
	n INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	at DOUBLE NOT NULL, 
	name TEXT NOT NULL, 
	action TEXT NOT NULL, 
	about JSON NOT NULL, 
	outcome VARCHAR(64) NOT NULL, 
	address TEXT NOT NULL, 
	credential VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_audit PRIMARY KEY (n)
);
INSERT INTO "audit" VALUES(1,'local',1.79498168172857284542e+09,'root','POST /endpoints','{}','done','127.0.0.1','k62s3mpjrfv3t');
INSERT INTO "audit" VALUES(2,'local',1.79498168267142724991e+09,'root','POST /endpoints/{name}/confirm','{"name":"laptop"}','done','127.0.0.1','k62s3mpjrfv3t');
INSERT INTO "audit" VALUES(3,'local',1.79498169171559071545e+09,'root','POST /tokens','{}','done','127.0.0.1','k62s3mpjrfv3t');
INSERT INTO "audit" VALUES(4,'local',1.79498169173297333718e+09,'root','POST /projects','{}','done','127.0.0.1','k62s3mpjrfv3t');
INSERT INTO "audit" VALUES(5,'local',1.79498169200105047232e+09,'root','POST /jobs','{"job":"j6qftkunpdck8","digest":"sha256:11c43cf291e25c3417cd9b6a8231882c799b0680eaefdf8a5743478f25911d59","endpoint":"laptop"}','done','127.0.0.1','k62s3mpjrfv3t');
INSERT INTO "audit" VALUES(6,'local',1.7949816920558936596e+09,'root','POST /jobs','{"job":"jsmp48pzgsnu2","digest":"sha256:37884b5e30216f070799d937ef64596ed4caef889523591c5dda40585c0e953e","endpoint":"laptop"}','done','127.0.0.1','k62s3mpjrfv3t');
INSERT INTO "audit" VALUES(7,'local',1.79498169207025504113e+09,'root','POST /jobs','{"job":"jasw345sestj7","digest":"sha256:fca41fffacc1f616c8fda63e0ed8537ac2a31f89f76cba7f388ec00539eaa211","endpoint":"laptop"}','done','127.0.0.1','k62s3mpjrfv3t');
INSERT INTO "audit" VALUES(8,'local',1794981692.1329,'root','POST /images/builds','{}','done','127.0.0.1','k62s3mpjrfv3t');
INSERT INTO "audit" VALUES(9,'local',1.79498170671202898025e+09,'root','POST /endpoints','{}','done','127.0.0.1','k62s3mpjrfv3t');
INSERT INTO "audit" VALUES(10,'local',1.79498170677057409293e+09,'root','POST /jobs','{"job":"jtvwkhef9urf9","digest":"sha256:a0c6d5f3f07d000b83bf6035ebeb3e51c1fc420f269e92bdda824623bcaa365f","endpoint":"nowhere"}','done','127.0.0.1','k62s3mpjrfv3t');
CREATE TABLE commands (
	seq INTEGER NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	endpoint VARCHAR(64) NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	attempt VARCHAR(64) NOT NULL, 
	type VARCHAR(16) NOT NULL, 
	data JSON NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	created DOUBLE NOT NULL, 
	sent_at DOUBLE NOT NULL, 
	sent_generation BIGINT NOT NULL, 
	CONSTRAINT pk_commands PRIMARY KEY (seq), 
	CONSTRAINT fk_commands_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_commands_id UNIQUE (id)
);
INSERT INTO "commands" VALUES(1,'cvy6x9q5k4hxw','local','e3369wv7a6hbg','tnxqx5qtvxyjc','av7hjqc2a6gh7','submit','{"by":{"user":"local","name":"root","token":"k62s3mpjrfv3t"},"number":1,"task_json":{"version":1,"task":"tnxqx5qtvxyjc","job":"j6qftkunpdck8","name":"good","kind":"run","owner":"local","order":{"name":"good","command":"","argv":["python3","train.py","0"],"params":{},"code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"created":1794981691.9964113}}','done',1.79498169199943685527e+09,1.79498169201834487911e+09,1);
INSERT INTO "commands" VALUES(2,'ctmtn7f86gxf9','local','e3369wv7a6hbg','tkckjmjwm5z5j','ay2xqyrrzg9sd','submit','{"by":{"user":"local","name":"root","token":"k62s3mpjrfv3t"},"number":1,"task_json":{"version":1,"task":"tkckjmjwm5z5j","job":"jsmp48pzgsnu2","name":"bad","kind":"run","owner":"local","order":{"name":"bad","command":"","argv":["python3","train.py","3"],"params":{},"code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"created":1794981692.0548794}}','done',1.79498169205539321894e+09,1794981692.19821,1);
INSERT INTO "commands" VALUES(3,'cvq4v3myuym4u','local','e3369wv7a6hbg','tyxwm2n9c85ru','amfefzwuzbder','submit','{"by":{"user":"local","name":"root","token":"k62s3mpjrfv3t"},"number":1,"task_json":{"version":1,"task":"tyxwm2n9c85ru","job":"jasw345sestj7","name":"chain","kind":"run","owner":"local","order":{"name":"chain","command":"","argv":["python3","train.py","75"],"params":{},"code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"*.pt","lead_seconds":0,"max_attempts":2,"ahead":true},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"created":1794981692.0691898},"chain":{"until":2,"counted":1,"queue_after_seconds":null}}','done',1.79498169206982660294e+09,1794981692.19821,1);
INSERT INTO "commands" VALUES(4,'cj392t89zbcw6','local','e3369wv7a6hbg','tdvtfcjyjxrkc','avearmhtj5e73','submit','{"by":{"user":"local","name":"root","token":"k62s3mpjrfv3t"},"number":1,"task_json":{"version":1,"task":"tdvtfcjyjxrkc","job":"jbucn92tndmn9","name":"small","kind":"build","owner":"local","order":{"name":"small","command":"","argv":[],"params":{},"code":null,"environment":null,"image":null,"build":{"environment":{"requirements":["six==1.17.0"],"python":"","variables":{},"base":"","accelerator":"","system":[],"lock":"","inherit":false,"files":[],"commands":[],"test":"","labels":{"of":"landed"}},"runtime":"","base_digest":"","upgrade":false},"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":2,"memory_mb":0,"walltime_minutes":60,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75","preempted","node-lost","wall-time"],"pattern":"","lead_seconds":120,"max_attempts":5,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"created":1794981692.1130552}}','done',1.79498169211808848385e+09,1794981692.19821,1);
INSERT INTO "commands" VALUES(5,'cppmufswtgwqp','local','e3369wv7a6hbg','tyxwm2n9c85ru','','chain','{"chain":{"until":2,"counted":1,"queue_after_seconds":null,"hand_over_seconds":37.5}}','done',1.79498169526807188991e+09,1.79498169530042982105e+09,1);
INSERT INTO "commands" VALUES(6,'c45yeamzqn69f','local','e3369wv7a6hbg','tyxwm2n9c85ru','','chain','{"chain":{"until":2,"counted":2,"queue_after_seconds":null,"hand_over_seconds":37.5}}','done',1.7949817042352852821e+09,1.79498170439977717399e+09,1);
INSERT INTO "commands" VALUES(7,'csc6z98whm7rg','local','es6hsf8nn86j8','t86jty8abu9nq','avw79mzd3bqdn','submit','{"by":{"user":"local","name":"root","token":"k62s3mpjrfv3t"},"number":1,"task_json":{"version":1,"task":"t86jty8abu9nq","job":"jtvwkhef9urf9","name":"waiting","kind":"run","owner":"local","order":{"name":"waiting","command":"true","argv":[],"params":{},"code":null,"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":60,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"created":1794981706.7250874}}','new',1.79498170677012491231e+09,0.0,0);
CREATE TABLE credentials (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	name TEXT NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	created DOUBLE NOT NULL, 
	expires DOUBLE, scopes TEXT DEFAULT '' NOT NULL, used DOUBLE, maker VARCHAR(64) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_credentials PRIMARY KEY (id), 
	CONSTRAINT fk_credentials_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_credentials_hash UNIQUE (hash), 
	CONSTRAINT uq_credentials_owner_kind_name UNIQUE (owner, kind, name)
);
INSERT INTO "credentials" VALUES('k62s3mpjrfv3t','local','token','command line of vm:/recorded/home','5c42acd2027709ad03ea14bff24406783d25629407dd101c2ee2de9ab1ac9a78',1.79498167943452572822e+09,NULL,'',1.79498168168082356454e+09,'');
INSERT INTO "credentials" VALUES('k6gkzm83ef9mt','u-grace','token','laptop','49f619da978b18d636451a82205580f269c59bd119005cac0b8b5d30da1e29ca',1.79498169094751596451e+09,NULL,'',NULL,'');
INSERT INTO "credentials" VALUES('kzbzqdeja5she','local','token','ci','330c03fa8577ac13fab59507c8c4d2fd29c415b7b621f0823632e9897c3bba80',1.79498169171173739436e+09,NULL,'read run manage',NULL,'k62s3mpjrfv3t');
CREATE TABLE deliveries (
	id INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	notification VARCHAR(64) NOT NULL, 
	channel VARCHAR(8) NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	tries INTEGER NOT NULL, 
	due DOUBLE NOT NULL, 
	error TEXT NOT NULL, 
	CONSTRAINT pk_deliveries PRIMARY KEY (id), 
	CONSTRAINT fk_deliveries_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_deliveries_notification FOREIGN KEY(notification) REFERENCES notifications (id)
);
CREATE TABLE device_codes (
	hash VARCHAR(64) NOT NULL, 
	user_code VARCHAR(16) NOT NULL, 
	owner VARCHAR(64), 
	state VARCHAR(16) NOT NULL, 
	name TEXT NOT NULL, 
	scopes TEXT NOT NULL, 
	address TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	expires DOUBLE NOT NULL, maker VARCHAR(64) DEFAULT '' NOT NULL, redirect TEXT DEFAULT '' NOT NULL, word_hash VARCHAR(64) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_device_codes PRIMARY KEY (hash), 
	CONSTRAINT fk_device_codes_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_device_codes_user_code UNIQUE (user_code)
);
CREATE TABLE endpoints (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	carrier VARCHAR(8) NOT NULL, 
	ssh_host TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	since DOUBLE NOT NULL, 
	last_seen DOUBLE, 
	key_hash VARCHAR(64), 
	pairing_hash VARCHAR(64), 
	pairing_expires DOUBLE, 
	confirmed BOOLEAN NOT NULL, 
	generation BIGINT NOT NULL, 
	epoch VARCHAR(64) NOT NULL, 
	have BIGINT NOT NULL, 
	host TEXT NOT NULL, 
	user TEXT NOT NULL, 
	agent_version TEXT NOT NULL, 
	python TEXT NOT NULL, 
	stays VARCHAR(16) NOT NULL, 
	folders JSON NOT NULL, 
	cluster TEXT NOT NULL, 
	is_default BOOLEAN NOT NULL, 
	profile JSON NOT NULL, 
	corrections JSON NOT NULL, 
	retention JSON NOT NULL, 
	created DOUBLE NOT NULL, secrets JSON, policy JSON DEFAULT '{}' NOT NULL, 
	CONSTRAINT pk_endpoints PRIMARY KEY (id), 
	CONSTRAINT fk_endpoints_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_endpoints_key_hash UNIQUE (key_hash), 
	CONSTRAINT uq_endpoints_owner_name UNIQUE (owner, name), 
	CONSTRAINT uq_endpoints_pairing_hash UNIQUE (pairing_hash)
);
INSERT INTO "endpoints" VALUES('e3369wv7a6hbg','local','laptop','https','','online',1.79498168573609161377e+09,1.79498170327781796451e+09,'2fa07a39f39b95bb2e96a43a152b8358e1d606d09c41dc993700d7269232c299',NULL,NULL,1,1,'xddmsq87em9hb',34,'vm','root','0.1.0','3.11.7','resident','{"keep":"/recorded/agent/keep","work":"/recorded/agent-work","tmp":"/recorded/agent/tmp"}','local@vm',1,'{"version":1,"probed_at":1794981689.3238866,"facts":{"scheduler":{"value":{"name":"local","version":"1"},"source":"this machine","at":1794981686.0983572},"cluster":{"value":"local@vm","source":"this machine","at":1794981686.0983572},"cores":{"value":2,"source":"this machine","at":1794981686.0983572},"memory_mb":{"value":24105,"source":"this machine","at":1794981686.0983572},"gpus":{"value":{},"source":"this machine","at":1794981686.0983572},"flags":{"value":{},"source":"this machine","at":1794981686.0983572},"free":{"value":{"local":{"nodes_idle":1,"nodes_total":1,"cpus_idle":2,"gpus_idle":0,"pending":0}},"source":"this machine","at":1794981686.0983572},"folders":{"value":{"keep":{"path":"/recorded/agent/keep","type":"ext4","free_bytes":48397131776,"free_files":15701902,"quota_bytes":null,"quota_files":null,"purge_days":null},"work":{"path":"/recorded/agent-work","type":"ext4","free_bytes":48395292672,"free_files":15701901,"quota_bytes":null,"quota_files":null,"purge_days":null}},"source":"statvfs, quota","at":1794981686.1385257},"runtimes":{"value":{"login":{"apptainer":"1.4.5","singularity":"1.4.5","charliecloud":"","podman":"4.3.1"},"compute":null},"source":"PATH","at":1794981686.7954264},"platform":{"value":"linux/amd64","source":"the login node","at":1794981686.795467},"builders":{"value":{"login":{"runtimes":{"apptainer":{"version":"1.4.5","builds":true,"runs":true,"why":"one sandbox, copied after each step: overlays cannot be mounted here"},"singularity":{"version":"1.4.5","builds":true,"runs":true,"why":"one sandbox, copied after each step: overlays cannot be mounted here"},"charliecloud":{"version":"0.31","builds":true,"runs":true,"why":"ch-image''s own build cache"},"podman":{"version":"4.3.1","builds":true,"runs":true,"why":"one commit for each step"},"docker":{"version":"28.2.2","builds":false,"runs":false,"why":"its daemon does not answer you on this node"},"venv":{"version":"1","builds":true,"runs":true,"why":"no container: the machine''s own Python"}},"namespaces":true,"sub_ids":false,"fakeroot":true,"fuse":true,"overlay":{"work":true,"tmp":false},"tmp_free_bytes":0},"compute":null},"source":"tried on the login node","at":1794981689.3036418},"python":{"value":{"login":"3.11.7","compute":null},"source":"the agent","at":1794981689.303805},"internet":{"value":{"login":true,"compute":null},"source":"one connection to pip''s index","at":1794981689.3238826}}}','{}','{}',1.79498168170278811451e+09,'[]','{"egress":"all","lease_until":1797573682.6162586,"require_signed":false,"community":false,"stands":false}');
INSERT INTO "endpoints" VALUES('es6hsf8nn86j8','local','nowhere','ssh','','sign-in',1.79498170670005345343e+09,NULL,'ba30888cb05cb71dc36c6fabe8d6f71df8466cfd50fbb0fa73e026186bb2b3c4',NULL,NULL,1,0,'',0,'','','','','','{}','',0,'{}','{}','{}',1.79498170670005345343e+09,NULL,'{}');
CREATE TABLE events (
	owner VARCHAR(64) NOT NULL, 
	n BIGINT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	subject VARCHAR(64) NOT NULL, 
	data JSON NOT NULL, 
	at DOUBLE NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (owner, n)
);
INSERT INTO "events" VALUES('local',1,'endpoint','e3369wv7a6hbg','{}',1.79498168172733807562e+09);
INSERT INTO "events" VALUES('local',2,'endpoint','e3369wv7a6hbg','{}',1.79498168257163286205e+09);
INSERT INTO "events" VALUES('local',3,'notification','nqvxgt65c4yxu','{}',1.79498168257163286205e+09);
INSERT INTO "events" VALUES('local',4,'endpoint','e3369wv7a6hbg','{}',1.79498168266967773444e+09);
INSERT INTO "events" VALUES('local',5,'endpoint','e3369wv7a6hbg','{}',1.79498168573701953891e+09);
INSERT INTO "events" VALUES('local',6,'endpoint','e3369wv7a6hbg','{}',1.79498168603806090349e+09);
INSERT INTO "events" VALUES('local',7,'endpoint','e3369wv7a6hbg','{}',1.79498168937036800389e+09);
INSERT INTO "events" VALUES('local',8,'changed','tokens','{}',1.79498169171540904046e+09);
INSERT INTO "events" VALUES('local',9,'task','tnxqx5qtvxyjc','{}',1.79498169200035667418e+09);
INSERT INTO "events" VALUES('local',10,'task','tkckjmjwm5z5j','{}',1.79498169205558061605e+09);
INSERT INTO "events" VALUES('local',11,'task','tyxwm2n9c85ru','{}',1.79498169207003474231e+09);
INSERT INTO "events" VALUES('local',12,'task','tdvtfcjyjxrkc','{}',1.79498169211831092831e+09);
INSERT INTO "events" VALUES('local',13,'task','tnxqx5qtvxyjc','{}',1.79498169233900547025e+09);
INSERT INTO "events" VALUES('local',14,'task','tkckjmjwm5z5j','{}',1.79498169273250842096e+09);
INSERT INTO "events" VALUES('local',15,'task','tyxwm2n9c85ru','{}',1.79498169273250842096e+09);
INSERT INTO "events" VALUES('local',16,'task','tnxqx5qtvxyjc','{}',1.79498169356887984273e+09);
INSERT INTO "events" VALUES('local',17,'task','tdvtfcjyjxrkc','{}',1.79498169378281545631e+09);
INSERT INTO "events" VALUES('local',18,'task','tkckjmjwm5z5j','{}',1.79498169378281545631e+09);
INSERT INTO "events" VALUES('local',19,'task','tnxqx5qtvxyjc','{}',1.79498169378281545631e+09);
INSERT INTO "events" VALUES('local',20,'task','tyxwm2n9c85ru','{}',1.79498169378281545631e+09);
INSERT INTO "events" VALUES('local',21,'task','tkckjmjwm5z5j','{}',1.79498169385985422135e+09);
INSERT INTO "events" VALUES('local',22,'task','tdvtfcjyjxrkc','{}',1.79498169399228072167e+09);
INSERT INTO "events" VALUES('local',23,'task','tkckjmjwm5z5j','{}',1.79498169399228072167e+09);
INSERT INTO "events" VALUES('local',24,'task','tnxqx5qtvxyjc','{}',1.79498169399228072167e+09);
INSERT INTO "events" VALUES('local',25,'task','tyxwm2n9c85ru','{}',1.79498169399228072167e+09);
INSERT INTO "events" VALUES('local',26,'task','tnxqx5qtvxyjc','{}',1.7949816945929193497e+09);
INSERT INTO "events" VALUES('local',27,'notification','nkwhe8qzctkyu','{}',1.7949816945929193497e+09);
INSERT INTO "events" VALUES('local',28,'task','tnxqx5qtvxyjc','{}',1.79498169473973894121e+09);
INSERT INTO "events" VALUES('local',29,'task','tkckjmjwm5z5j','{}',1.7949816948404960633e+09);
INSERT INTO "events" VALUES('local',30,'task','tdvtfcjyjxrkc','{}',1.79498169519602465628e+09);
INSERT INTO "events" VALUES('local',31,'task','tkckjmjwm5z5j','{}',1.79498169519602465628e+09);
INSERT INTO "events" VALUES('local',32,'task','tyxwm2n9c85ru','{}',1.79498169519602465628e+09);
INSERT INTO "events" VALUES('local',33,'notification','ndwc9vugpvd7m','{}',1.79498169519602465628e+09);
INSERT INTO "events" VALUES('local',34,'task','tyxwm2n9c85ru','{}',1.79498169526839089398e+09);
INSERT INTO "events" VALUES('local',35,'task','tnxqx5qtvxyjc','{}',1.79498169636337900163e+09);
INSERT INTO "events" VALUES('local',36,'task','tkckjmjwm5z5j','{}',1.79498169636337900163e+09);
INSERT INTO "events" VALUES('local',37,'task','tyxwm2n9c85ru','{}',1.7949816968489778042e+09);
INSERT INTO "events" VALUES('local',38,'task','tdvtfcjyjxrkc','{}',1.79498169694412779812e+09);
INSERT INTO "events" VALUES('local',39,'task','tyxwm2n9c85ru','{}',1.79498169694412779812e+09);
INSERT INTO "events" VALUES('local',40,'task','tdvtfcjyjxrkc','{}',1.79498169700366115575e+09);
INSERT INTO "events" VALUES('local',41,'task','tyxwm2n9c85ru','{}',1.79498169774213242534e+09);
INSERT INTO "events" VALUES('local',42,'image','ivcq8k4arqdhf','{}',1.79498170354285383224e+09);
INSERT INTO "events" VALUES('local',43,'task','tdvtfcjyjxrkc','{}',1.79498170369591832163e+09);
INSERT INTO "events" VALUES('local',44,'notification','nyaeh2ywwmzyz','{}',1.79498170369591832163e+09);
INSERT INTO "events" VALUES('local',45,'task','tyxwm2n9c85ru','{}',1.79498170423554611208e+09);
INSERT INTO "events" VALUES('local',46,'task','tyxwm2n9c85ru','{}',1794981706.58013);
INSERT INTO "events" VALUES('local',47,'notification','najbs6n6st96g','{}',1794981706.58013);
INSERT INTO "events" VALUES('local',48,'task','tyxwm2n9c85ru','{}',1.79498170661776208873e+09);
INSERT INTO "events" VALUES('local',49,'task','tyxwm2n9c85ru','{}',1.79498170668165659899e+09);
INSERT INTO "events" VALUES('local',50,'endpoint','es6hsf8nn86j8','{}',1.79498170671173477167e+09);
INSERT INTO "events" VALUES('local',51,'task','t86jty8abu9nq','{}',1.79498170677036809916e+09);
CREATE TABLE facts (
	owner VARCHAR(64) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_facts PRIMARY KEY (name), 
	CONSTRAINT fk_facts_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "facts" VALUES('local','instance','dykbg5em9pm9g');
CREATE TABLE history (
	task VARCHAR(64) NOT NULL, 
	n INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	at DOUBLE NOT NULL, 
	received DOUBLE NOT NULL, 
	type VARCHAR(32) NOT NULL, 
	message TEXT NOT NULL, 
	data JSON NOT NULL, 
	CONSTRAINT pk_history PRIMARY KEY (task, n), 
	CONSTRAINT fk_history_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_history_task FOREIGN KEY(task) REFERENCES tasks (id)
);
INSERT INTO "history" VALUES('tnxqx5qtvxyjc',1,'local',1.79498169199641132353e+09,1.79498169199641132353e+09,'created','','{"attempt":"av7hjqc2a6gh7","endpoint":"laptop","retry_of":null}');
INSERT INTO "history" VALUES('tkckjmjwm5z5j',1,'local',1.79498169205487942694e+09,1.79498169205487942694e+09,'created','','{"attempt":"ay2xqyrrzg9sd","endpoint":"laptop","retry_of":null}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',1,'local',1.79498169206918978691e+09,1.79498169206918978691e+09,'created','','{"attempt":"amfefzwuzbder","endpoint":"laptop","retry_of":null}');
INSERT INTO "history" VALUES('tdvtfcjyjxrkc',1,'local',1.79498169211305522922e+09,1.79498169211305522922e+09,'created','','{"attempt":"avearmhtj5e73","endpoint":"laptop","retry_of":null}');
INSERT INTO "history" VALUES('tnxqx5qtvxyjc',2,'local',1.79498169231151890757e+09,1.79498169232284760475e+09,'staging','2 files on the way','{"attempt":"av7hjqc2a6gh7","what":"code"}');
INSERT INTO "history" VALUES('tkckjmjwm5z5j',2,'local',1.79498169239782333372e+09,1.7949816927311768532e+09,'staging','2 files on the way','{"attempt":"ay2xqyrrzg9sd","what":"code"}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',2,'local',1.79498169240206122401e+09,1.7949816927311768532e+09,'staging','2 files on the way','{"attempt":"amfefzwuzbder","what":"code"}');
INSERT INTO "history" VALUES('tnxqx5qtvxyjc',3,'local',1.79498169353527069094e+09,1.79498169356807303425e+09,'submitted','','{"attempt":"av7hjqc2a6gh7","native_id":"66086be3676ea-dd7b2a"}');
INSERT INTO "history" VALUES('tdvtfcjyjxrkc',2,'local',1.7949816937803666592e+09,1.79498169378164911273e+09,'submitted','','{"attempt":"avearmhtj5e73","native_id":"66086be3b7ea2-bafdb6"}');
INSERT INTO "history" VALUES('tkckjmjwm5z5j',3,'local',1.794981693673197031e+09,1.79498169378164911273e+09,'submitted','','{"attempt":"ay2xqyrrzg9sd","native_id":"66086be388f75-d08d3e"}');
INSERT INTO "history" VALUES('tnxqx5qtvxyjc',4,'local',1.79498169375106096266e+09,1.79498169378164911273e+09,'started','','{"attempt":"av7hjqc2a6gh7","run":1,"native_id":"66086be3676ea-dd7b2a","node":"vm"}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',3,'local',1794981693.75036,1.79498169378164911273e+09,'submitted','','{"attempt":"amfefzwuzbder","native_id":"66086be3a402b-b4ff3e"}');
INSERT INTO "history" VALUES('tkckjmjwm5z5j',4,'local',1.7949816938088941574e+09,1.79498169385919666292e+09,'started','','{"attempt":"ay2xqyrrzg9sd","run":1,"native_id":"66086be388f75-d08d3e","node":"vm"}');
INSERT INTO "history" VALUES('tdvtfcjyjxrkc',3,'local',1.79498169394630169865e+09,1.79498169399055171012e+09,'observed','waiting for its turn: other local jobs are ahead','{"attempt":"avearmhtj5e73","status":"queued","native_state":"PENDING","native_id":"66086be3b7ea2-bafdb6","run":0,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('tkckjmjwm5z5j',5,'local',1.79498169394617700577e+09,1.79498169399055171012e+09,'observed','','{"attempt":"ay2xqyrrzg9sd","status":"running","native_state":"RUNNING","native_id":"66086be388f75-d08d3e","run":1,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('tnxqx5qtvxyjc',5,'local',1.79498169394467782977e+09,1.79498169399055171012e+09,'observed','','{"attempt":"av7hjqc2a6gh7","status":"running","native_state":"RUNNING","native_id":"66086be3676ea-dd7b2a","run":1,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',4,'local',1.7949816939462594986e+09,1.79498169399055171012e+09,'observed','next in line: waiting for 1 of the machine''s 2 cores','{"attempt":"amfefzwuzbder","status":"queued","native_state":"PENDING","native_id":"66086be3a402b-b4ff3e","run":0,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('tnxqx5qtvxyjc',6,'local',1.79498169459060454367e+09,1.79498169459143161776e+09,'exited','','{"attempt":"av7hjqc2a6gh7","run":1,"exit_code":0,"signal":null,"reason":""}');
INSERT INTO "history" VALUES('tkckjmjwm5z5j',6,'local',1.79498169483861923214e+09,1.79498169483984351159e+09,'exited','','{"attempt":"ay2xqyrrzg9sd","run":1,"exit_code":3,"signal":null,"reason":""}');
INSERT INTO "history" VALUES('tdvtfcjyjxrkc',4,'local',1.79498169517280507087e+09,1.79498169519385790829e+09,'observed','next in line: waiting for 2 of the machine''s 2 cores','{"attempt":"avearmhtj5e73","status":"queued","native_state":"PENDING","native_id":"66086be3b7ea2-bafdb6","run":0,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('tkckjmjwm5z5j',7,'local',1.79498169517262911795e+09,1.79498169519385790829e+09,'observed','it ended with exit code 3','{"attempt":"ay2xqyrrzg9sd","status":"ended","native_state":"FAILED","native_id":"66086be388f75-d08d3e","run":1,"reason":"exit-code","exit_code":3,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',5,'local',1.79498169517276144027e+09,1.79498169519385790829e+09,'observed','','{"attempt":"amfefzwuzbder","status":"running","native_state":"RUNNING","native_id":"66086be3a402b-b4ff3e","run":0,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',6,'local',1.79498169519882893566e+09,1.79498169524611544609e+09,'started','','{"attempt":"amfefzwuzbder","run":1,"native_id":"66086be3a402b-b4ff3e","node":"vm"}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',7,'local',1.79498169671558547013e+09,1.79498169671654891964e+09,'progressed','','{"attempt":"amfefzwuzbder","checkpoint":"","modified":0.0,"step":2}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',8,'local',1.79498169671582174294e+09,1.79498169671654891964e+09,'attempt-known','','{"attempt":"a49g3yfk6tjv8","number":2}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',9,'local',1.794981696397233963e+09,1.79498169671654891964e+09,'exited','','{"attempt":"amfefzwuzbder","run":1,"exit_code":75,"signal":null,"reason":""}');
INSERT INTO "history" VALUES('tdvtfcjyjxrkc',5,'local',1.79498169675212430949e+09,1.79498169694134664534e+09,'observed','','{"attempt":"avearmhtj5e73","status":"running","native_state":"RUNNING","native_id":"66086be3b7ea2-bafdb6","run":0,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',10,'local',1.79498169675132727626e+09,1.79498169694134664534e+09,'observed','it ended with exit code 75','{"attempt":"amfefzwuzbder","status":"ended","native_state":"FAILED","native_id":"66086be3a402b-b4ff3e","run":1,"reason":"exit-code","exit_code":75,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0,"ignored":"of another attempt"}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',11,'local',1.79498169678246927258e+09,1.79498169694134664534e+09,'submitted','','{"attempt":"a49g3yfk6tjv8","native_id":"66086be69a202-4f5a66"}');
INSERT INTO "history" VALUES('tdvtfcjyjxrkc',6,'local',1.79498169698883366582e+09,1.79498169700298213953e+09,'started','','{"attempt":"avearmhtj5e73","run":1,"native_id":"66086be3b7ea2-bafdb6","node":"vm"}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',12,'local',1.79498169770604014397e+09,1794981697.71224,'observed','next in line: waiting for 1 of the machine''s 2 cores','{"attempt":"a49g3yfk6tjv8","status":"queued","native_state":"PENDING","native_id":"66086be69a202-4f5a66","run":0,"reason":"","exit_code":null,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0}');
INSERT INTO "history" VALUES('tdvtfcjyjxrkc',7,'local',1.79498170351533365253e+09,1.79498170368017792705e+09,'exited','','{"attempt":"avearmhtj5e73","run":1,"exit_code":0,"signal":null,"reason":""}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',13,'local',1.79498170422993731502e+09,1.79498170423424744605e+09,'started','','{"attempt":"a49g3yfk6tjv8","run":1,"native_id":"66086be69a202-4f5a66","node":"vm"}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',14,'local',1.7949817065667171478e+09,1.79498170657849979393e+09,'progressed','','{"attempt":"a49g3yfk6tjv8","checkpoint":"","modified":0.0,"step":2}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',15,'local',1.79498170575910758967e+09,1.79498170657849979393e+09,'exited','','{"attempt":"a49g3yfk6tjv8","run":1,"exit_code":75,"signal":null,"reason":""}');
INSERT INTO "history" VALUES('tyxwm2n9c85ru',16,'local',1.79498170661358094212e+09,1.79498170667677235602e+09,'observed','it ended with exit code 75','{"attempt":"a49g3yfk6tjv8","status":"ended","native_state":"FAILED","native_id":"66086be69a202-4f5a66","run":1,"reason":"exit-code","exit_code":75,"signal":null,"held":false,"restarts":0,"limit_seconds":0.0,"ignored":"the task had ended"}');
INSERT INTO "history" VALUES('t86jty8abu9nq',1,'local',1.7949817067250874043e+09,1.7949817067250874043e+09,'created','','{"attempt":"avw79mzd3bqdn","endpoint":"nowhere","retry_of":null}');
CREATE TABLE idempotency (
	owner VARCHAR(64) NOT NULL, 
	"key" VARCHAR(64) NOT NULL, 
	request VARCHAR(64) NOT NULL, 
	answer JSON, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_idempotency PRIMARY KEY (owner, "key"), 
	CONSTRAINT fk_idempotency_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "idempotency" VALUES('local','a00f2d6b79d85151ffe820c467f3db4e1f04e5986061e04cd7ca953635d69bec','9d2a3054701b7c9c1f48acda509140a036c994b9d0bb937bcae05e8da5a909b9','{"job":{"id":"j6qftkunpdck8","name":"good","created":1794981691.9944382,"owner":"local","project":"","spec":{"name":"good","run":["python3","train.py","0"],"notebook":"","params":{},"code":null,"environment":null,"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"walltime":"5m"},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{}},"code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":247},"digest":"sha256:11c43cf291e25c3417cd9b6a8231882c799b0680eaefdf8a5743478f25911d59","tasks":["tnxqx5qtvxyjc"]},"tasks":[{"id":"tnxqx5qtvxyjc","job":"j6qftkunpdck8","name":"good","kind":"run","owner":"local","state":"preparing","phase":"","native_state":"","reason":"","message":"","exit_code":null,"signal":null,"as_of":1794981691.9964113,"created":1794981691.9964113,"updated":1794981691.9964113,"started":null,"ended":null,"node":"","attempt":"av7hjqc2a6gh7","retry_of":null,"order":{"name":"good","command":"","argv":["python3","train.py","0"],"params":{},"code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"digest":"sha256:11c43cf291e25c3417cd9b6a8231882c799b0680eaefdf8a5743478f25911d59","code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":247},"cancel_requested":false,"version":1,"run_dir":"/recorded/agent-work/tasks/tnxqx5qtvxyjc","cleaned":null,"awaits":null,"project":"","prediction":null,"endpoint":"laptop","attempts":[{"id":"av7hjqc2a6gh7","number":1,"native_id":"","run":0,"runs":[],"started":null,"ended":null,"reason":"","ending":"","queued":null,"arrived":null,"gap":null,"checkpoint":"","step":null}],"native_id":"","chain":{"asks":false,"may_resume":false,"follow_up":"","max_attempts":100,"allowed_attempts":4,"stalled":0,"checkpoint":"","step":null,"node_hours":0,"budget":null,"continues":"","words":""},"happened":null}],"warnings":[]}',1.79498169199190664296e+09);
INSERT INTO "idempotency" VALUES('local','cff66cf5e1545034e8060f4b53f3a22d7d03dd72f4caa1f24c91ba5f6046fb4f','7d57075da74f450e4fe8f9141118438f71ae3b21ccd2138104b56f3b4360e852','{"job":{"id":"jsmp48pzgsnu2","name":"bad","created":1794981692.054498,"owner":"local","project":"","spec":{"name":"bad","run":["python3","train.py","3"],"notebook":"","params":{},"code":null,"environment":null,"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"walltime":"5m"},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{}},"code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":247},"digest":"sha256:37884b5e30216f070799d937ef64596ed4caef889523591c5dda40585c0e953e","tasks":["tkckjmjwm5z5j"]},"tasks":[{"id":"tkckjmjwm5z5j","job":"jsmp48pzgsnu2","name":"bad","kind":"run","owner":"local","state":"preparing","phase":"","native_state":"","reason":"","message":"","exit_code":null,"signal":null,"as_of":1794981692.0548794,"created":1794981692.0548794,"updated":1794981692.0548794,"started":null,"ended":null,"node":"","attempt":"ay2xqyrrzg9sd","retry_of":null,"order":{"name":"bad","command":"","argv":["python3","train.py","3"],"params":{},"code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"digest":"sha256:37884b5e30216f070799d937ef64596ed4caef889523591c5dda40585c0e953e","code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":247},"cancel_requested":false,"version":1,"run_dir":"/recorded/agent-work/tasks/tkckjmjwm5z5j","cleaned":null,"awaits":null,"project":"","prediction":null,"endpoint":"laptop","attempts":[{"id":"ay2xqyrrzg9sd","number":1,"native_id":"","run":0,"runs":[],"started":null,"ended":null,"reason":"","ending":"","queued":null,"arrived":null,"gap":null,"checkpoint":"","step":null}],"native_id":"","chain":{"asks":false,"may_resume":false,"follow_up":"","max_attempts":100,"allowed_attempts":4,"stalled":0,"checkpoint":"","step":null,"node_hours":0,"budget":null,"continues":"","words":""},"happened":null}],"warnings":[]}',1.79498169205330514912e+09);
INSERT INTO "idempotency" VALUES('local','bdfaa6ae05529375c97dd21a5d3fa628981304f80712e78390a0d0ef33261786','d434b1e5c6d8b40f49e7f624f3b6dd11a2e51a2a420a8757ee79b691264e5ee5','{"job":{"id":"jasw345sestj7","name":"chain","created":1794981692.0687513,"owner":"local","project":"","spec":{"name":"chain","run":["python3","train.py","75"],"notebook":"","params":{},"code":null,"environment":null,"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"walltime":"5m"},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":{"on":["exit-75"],"from":"*.pt","max_attempts":2,"ahead":true},"budget":null,"options":{}},"code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":247},"digest":"sha256:fca41fffacc1f616c8fda63e0ed8537ac2a31f89f76cba7f388ec00539eaa211","tasks":["tyxwm2n9c85ru"]},"tasks":[{"id":"tyxwm2n9c85ru","job":"jasw345sestj7","name":"chain","kind":"run","owner":"local","state":"preparing","phase":"","native_state":"","reason":"","message":"","exit_code":null,"signal":null,"as_of":1794981692.0691898,"created":1794981692.0691898,"updated":1794981692.0691898,"started":null,"ended":null,"node":"","attempt":"amfefzwuzbder","retry_of":null,"order":{"name":"chain","command":"","argv":["python3","train.py","75"],"params":{},"code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"*.pt","lead_seconds":0,"max_attempts":2,"ahead":true},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""},"digest":"sha256:fca41fffacc1f616c8fda63e0ed8537ac2a31f89f76cba7f388ec00539eaa211","code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":247},"cancel_requested":false,"version":1,"run_dir":"/recorded/agent-work/tasks/tyxwm2n9c85ru","cleaned":null,"awaits":null,"project":"","prediction":null,"endpoint":"laptop","attempts":[{"id":"amfefzwuzbder","number":1,"native_id":"","run":0,"runs":[],"started":null,"ended":null,"reason":"","ending":"","queued":null,"arrived":null,"gap":null,"checkpoint":"","step":null}],"native_id":"","chain":{"asks":false,"may_resume":false,"follow_up":"","max_attempts":2,"allowed_attempts":4,"stalled":0,"checkpoint":"","step":null,"node_hours":0,"budget":null,"continues":"","words":""},"happened":null}],"warnings":[]}',1.79498169206746244425e+09);
CREATE TABLE identities (
	issuer VARCHAR(255) NOT NULL, 
	subject VARCHAR(255) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	provider VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	email TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	seen DOUBLE NOT NULL, 
	CONSTRAINT pk_identities PRIMARY KEY (issuer, subject), 
	CONSTRAINT fk_identities_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE image_copies (
	image VARCHAR(64) NOT NULL, 
	endpoint VARCHAR(64) NOT NULL, 
	format VARCHAR(24) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	record JSON NOT NULL, 
	at DOUBLE NOT NULL, 
	CONSTRAINT pk_image_copies PRIMARY KEY (image, endpoint, format), 
	CONSTRAINT fk_image_copies_image FOREIGN KEY(image) REFERENCES images (id), 
	CONSTRAINT fk_image_copies_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "image_copies" VALUES('ivcq8k4arqdhf','e3369wv7a6hbg','venv','local','181cc886152ccd9de7462f3c4fed1487388b5af273873a81022876acca0a2f3e','{"identity":"sha256:ad02b69767a2abea53fb423a1eb8141bf8def73aa15a96266d5093da3284767f","format":"venv","runtime":"venv","sha256":"181cc886152ccd9de7462f3c4fed1487388b5af273873a81022876acca0a2f3e","size":65779,"platform":"linux/amd64","file":"/recorded/agent-work/images/venvs/ad02b69767a2abea53fb423a","base":{"reference":"","digest":"python-3.11"},"python":"3.11.7","packages":{"system":{},"python":{"six":"1.17.0"}},"variables":{"VIRTUAL_ENV":"/recorded/agent-work/images/venvs/ad02b69767a2abea53fb423a/venv"},"labels":{"of":"landed"},"path":["/recorded/agent-work/images/venvs/ad02b69767a2abea53fb423a/venv/bin"],"built":{"at":1794981703.3265367,"seconds":2.611,"whole_seconds":2.611,"host":"vm","user":"root","build":"avearmhtj5e73"},"stat":{},"native":"","shared":false,"version":1}',1.79498170353415179251e+09);
CREATE TABLE "image_moves" (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	kind VARCHAR(8) NOT NULL, 
	image VARCHAR(64), 
	endpoint VARCHAR(64) NOT NULL, 
	source VARCHAR(64), 
	reference TEXT NOT NULL, 
	name TEXT NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	record JSON NOT NULL, 
	words TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	bytes BIGINT NOT NULL, 
	size BIGINT NOT NULL, 
	message TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, started DOUBLE, 
	CONSTRAINT pk_image_moves PRIMARY KEY (id), 
	CONSTRAINT fk_image_moves_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE image_uses (
	image VARCHAR(64) NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_image_uses PRIMARY KEY (image, task), 
	CONSTRAINT fk_image_uses_image FOREIGN KEY(image) REFERENCES images (id), 
	CONSTRAINT fk_image_uses_task FOREIGN KEY(task) REFERENCES tasks (id), 
	CONSTRAINT fk_image_uses_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE image_wishes (
	owner VARCHAR(64) NOT NULL, 
	endpoint VARCHAR(64) NOT NULL, 
	"key" VARCHAR(80) NOT NULL, 
	build VARCHAR(64) NOT NULL, 
	image VARCHAR(64), 
	CONSTRAINT pk_image_wishes PRIMARY KEY (owner, endpoint, "key"), 
	CONSTRAINT fk_image_wishes_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_image_wishes_image FOREIGN KEY(image) REFERENCES images (id)
);
INSERT INTO "image_wishes" VALUES('local','e3369wv7a6hbg','sha256:ee71b1f7756c7eb28604a13f2e7098466669b1964c1ab40078d4b136739e3e56','tdvtfcjyjxrkc','ivcq8k4arqdhf');
CREATE TABLE images (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name VARCHAR(100), 
	identity VARCHAR(80) NOT NULL, 
	platform VARCHAR(32) NOT NULL, 
	recipe JSON NOT NULL, 
	record JSON NOT NULL, 
	build VARCHAR(64), 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, 
	CONSTRAINT pk_images PRIMARY KEY (id), 
	CONSTRAINT fk_images_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_images_owner_identity UNIQUE (owner, identity), 
	CONSTRAINT uq_images_owner_name UNIQUE (owner, name)
);
INSERT INTO "images" VALUES('ivcq8k4arqdhf','local','small','sha256:ad02b69767a2abea53fb423a1eb8141bf8def73aa15a96266d5093da3284767f','linux/amd64','{"environment":{"requirements":["six==1.17.0"],"labels":{"of":"landed"}},"base_digest":"python-3.11","lock":"six==1.17.0 \\\n    --hash=sha256:4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274\n","platform":"linux/amd64"}','{"identity":"sha256:ad02b69767a2abea53fb423a1eb8141bf8def73aa15a96266d5093da3284767f","format":"venv","runtime":"venv","sha256":"181cc886152ccd9de7462f3c4fed1487388b5af273873a81022876acca0a2f3e","size":65779,"platform":"linux/amd64","file":"/recorded/agent-work/images/venvs/ad02b69767a2abea53fb423a","base":{"reference":"","digest":"python-3.11"},"python":"3.11.7","packages":{"system":{},"python":{"six":"1.17.0"}},"variables":{"VIRTUAL_ENV":"/recorded/agent-work/images/venvs/ad02b69767a2abea53fb423a/venv"},"labels":{"of":"landed"},"path":["/recorded/agent-work/images/venvs/ad02b69767a2abea53fb423a/venv/bin"],"built":{"at":1794981703.3265367,"seconds":2.611,"whole_seconds":2.611,"host":"vm","user":"root","build":"avearmhtj5e73"},"stat":{},"native":"","shared":false,"version":1}','tdvtfcjyjxrkc',1.79498170350737357137e+09,1.79498170350737357137e+09);
CREATE TABLE invitations (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	email TEXT NOT NULL, 
	project VARCHAR(64) NOT NULL, 
	role VARCHAR(16) NOT NULL, 
	created DOUBLE NOT NULL, 
	expires DOUBLE NOT NULL, 
	used DOUBLE, 
	used_by VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_invitations PRIMARY KEY (id), 
	CONSTRAINT fk_invitations_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_invitations_hash UNIQUE (hash)
);
CREATE TABLE jobs (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	spec JSON NOT NULL, 
	code JSON, 
	digest VARCHAR(80) NOT NULL, 
	created DOUBLE NOT NULL, project VARCHAR(64) DEFAULT '' NOT NULL, assignment VARCHAR(64) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_jobs PRIMARY KEY (id), 
	CONSTRAINT fk_jobs_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "jobs" VALUES('j6qftkunpdck8','local','good','{"name":"good","run":["python3","train.py","0"],"notebook":"","params":{},"code":null,"environment":null,"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"walltime":"5m"},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{}}','{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":247}','sha256:11c43cf291e25c3417cd9b6a8231882c799b0680eaefdf8a5743478f25911d59',1.79498169199443817142e+09,'','');
INSERT INTO "jobs" VALUES('jsmp48pzgsnu2','local','bad','{"name":"bad","run":["python3","train.py","3"],"notebook":"","params":{},"code":null,"environment":null,"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"walltime":"5m"},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{}}','{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":247}','sha256:37884b5e30216f070799d937ef64596ed4caef889523591c5dda40585c0e953e',1.79498169205449795721e+09,'','');
INSERT INTO "jobs" VALUES('jasw345sestj7','local','chain','{"name":"chain","run":["python3","train.py","75"],"notebook":"","params":{},"code":null,"environment":null,"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"walltime":"5m"},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":{"on":["exit-75"],"from":"*.pt","max_attempts":2,"ahead":true},"budget":null,"options":{}}','{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":247}','sha256:fca41fffacc1f616c8fda63e0ed8537ac2a31f89f76cba7f388ec00539eaa211',1.79498169206875133512e+09,'','');
INSERT INTO "jobs" VALUES('jbucn92tndmn9','local','small','{"name":"small","run":"build","notebook":"","params":{},"code":null,"environment":{"requirements":["six==1.17.0"],"labels":{"of":"landed"}},"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":2},"on":"laptop","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{}}','null','sha256:aae28ea55dfd833f6051788dc916c6ddbaeb32a5f4e95d3d646a5c45c555f02c',1.79498169211221313473e+09,'','');
INSERT INTO "jobs" VALUES('jtvwkhef9urf9','local','waiting','{"name":"waiting","run":"true","notebook":"","params":{},"code":null,"environment":null,"data":{},"secrets":[],"launch":"auto","resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1},"on":"nowhere","partition":"","account":"auto","qos":"","reservation":"","constraint":"","continue":null,"budget":null,"options":{}}','null','sha256:a0c6d5f3f07d000b83bf6035ebeb3e51c1fc420f269e92bdda824623bcaa365f',1.79498170672468638424e+09,'','');
CREATE TABLE limits (
	kind VARCHAR(16) NOT NULL, 
	subject VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	node_hours DOUBLE, 
	running_tasks INTEGER, 
	storage_bytes BIGINT, 
	updated DOUBLE NOT NULL, 
	CONSTRAINT pk_limits PRIMARY KEY (kind, subject), 
	CONSTRAINT fk_limits_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE log_chunks (
	stream INTEGER NOT NULL, 
	start BIGINT NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	length INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	CONSTRAINT pk_log_chunks PRIMARY KEY (stream, start), 
	CONSTRAINT fk_log_chunks_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_log_chunks_stream FOREIGN KEY(stream) REFERENCES log_streams (id)
);
INSERT INTO "log_chunks" VALUES(1,0,'local',8,X'747261696E65640A');
INSERT INTO "log_chunks" VALUES(2,0,'local',8,X'747261696E65640A');
INSERT INTO "log_chunks" VALUES(5,0,'local',8,X'747261696E65640A');
INSERT INTO "log_chunks" VALUES(7,0,'local',755,X'72756E74696D653A206E6F206261736520696D616765206973206E616D65642C20736F206E6F20636F6E7461696E6572206973206D6164650A66696E64696E672076657273696F6E7320666F72207369783D3D312E31372E30206F6E206C696E75782F616D6436340A696D616765207368613235363A616430326236393736376132616265613533666234323361316562383134316266386465663733616131356139363236366435303933646133323834373637660A726F7574653A206E6F20636F6E7461696E65723A2061207669727475616C20656E7669726F6E6D656E7420696E202F746D702F64722D6E39726770355F632F6167656E742F776F726B2F696D616765732F76656E76732F6164303262363937363761326162656135336662343233610A3D3D3E20626173653A2074686520656E64706F696E742773206F776E20507974686F6E2028696E20746865206361636865290A3D3D3E20707974686F6E3A207369783D3D312E31372E300A5573696E6720507974686F6E20332E31312E3720656E7669726F6E6D656E742061743A202F746D702F64722D6E39726770355F632F6167656E742F776F726B2F696D616765732F76656E76732F6164303262363937363761326162656135336662343233612F76656E760A5265736F6C7665642031207061636B61676520696E203435356D730A50726570617265642031207061636B61676520696E203931376D730A496E7374616C6C65642031207061636B61676520696E2039386D730A202B207369783D3D312E31372E300A3D3D3E207661726961626C65733A20504154480A3D3D3E207061636B3A206F6E652066696C650A696D616765203138316363383836313532636364396465373436326633633466656431343837333838623561663237333837336138313032323837366163636130613266336520696E202F746D702F64722D6E39726770355F632F6167656E742F776F726B2F696D616765732F76656E76732F6164303262363937363761326162656135336662343233610A');
INSERT INTO "log_chunks" VALUES(8,0,'local',4712,X'7B226576656E74223A2022706C616E222C20226964656E74697479223A20227368613235363A61643032623639373637613261626561353366623432336131656238313431626638646566373361613135613936323636643530393364613332383437363766222C202272756E74696D65223A202276656E76222C2022726F757465223A20226E6F20636F6E7461696E65723A2061207669727475616C20656E7669726F6E6D656E7420696E202F746D702F64722D6E39726770355F632F6167656E742F776F726B2F696D616765732F76656E76732F616430326236393736376132616265613533666234323361222C20227374657073223A205B7B226E616D65223A202262617365222C20227469746C65223A202274686520656E64706F696E742773206F776E20507974686F6E222C20226B6579223A20227368613235363A30323937636330373161386333626166353239316562353939626232343838623738643963613766353630336230373536373431343339643232383035636564227D2C207B226E616D65223A2022707974686F6E222C20227469746C65223A20227369783D3D312E31372E30222C20226B6579223A20227368613235363A31633561616539346232346464663031616537306666336261393237613663366532386334343737666238383761323134373833306361613639323331333036227D2C207B226E616D65223A20227661726961626C6573222C20227469746C65223A202250415448222C20226B6579223A20227368613235363A61653762656230643838386332643663383339646132306165366531626263373632613935633564386637353538326139373264356363353165643133326366227D2C207B226E616D65223A20227061636B222C20227469746C65223A20226F6E652066696C65222C20226B6579223A20227368613235363A38366564373535303937353064396235616237643831346339626636636361616261306363613335393338393965636235383636626338353262396432656234227D5D2C2022646566696E6974696F6E223A202223212F62696E2F73685C6E736574202D65755C6E6578706F7274206469616D6F6E645F626172653D31206469616D6F6E645F76656E763D5C22247B313A3F776865726520746F206D616B652069747D5C22206469616D6F6E645F736974653D5C22247B323A2D2E7D5C225C6E2F62696E2F7368202D6575203C3C27454E445F4F465F53544550275C6E2320707974686F6E3A207369783D3D312E31372E305C6E756D61736B203032325C6E6469616D6F6E645F736974653D247B6469616D6F6E645F736974653A2D2F6D6E747D5C6E6469616D6F6E645F76656E763D247B6469616D6F6E645F76656E763A2D2F6F70742F76656E767D5C6E504154483D24504154483A246469616D6F6E645F736974655C6E6578706F727420484F4D453D5C22247B484F4D453A2D2F726F6F747D5C225C6E5B2021202D72205C22246469616D6F6E645F736974652F736974652E656E765C22205D207C7C202E205C22246469616D6F6E645F736974652F736974652E656E765C225C6E6469616D6F6E645F75763D246469616D6F6E645F736974652F75765C6E6966205B2021202D78205C22246469616D6F6E645F75765C22205D3B207468656E5C6E20206469616D6F6E645F75763D2428636F6D6D616E64202D7620757629207C7C207B5C6E20202020707974686F6E33202D6D2076656E76202F746D702F6469616D6F6E642D75765C6E202020202F746D702F6469616D6F6E642D75762F62696E2F70697020696E7374616C6C202D2D71756965742075765C6E202020206469616D6F6E645F75763D2F746D702F6469616D6F6E642D75762F62696E2F75765C6E20207D5C6E66695C6E6578706F72742055565F505954484F4E5F444F574E4C4F4144533D247B55565F505954484F4E5F444F574E4C4F4144533A2D6E657665727D2055565F4C494E4B5F4D4F44453D247B55565F4C494E4B5F4D4F44453A2D636F70797D5C6E6966205B202D7A205C22247B6469616D6F6E645F626172653A2D7D5C22205D202626202120636F6D6D616E64202D7620707974686F6E33203E2F6465762F6E756C6C20323E26312026262021205C22246469616D6F6E645F75765C2220707974686F6E2066696E642033203E2F6465762F6E756C6C20323E26313B207468656E5C6E20206563686F205C226469616D6F6E643A20507974686F6E206973206E6F7420696E207468697320626173655C22203E26325C6E2020657869742036355C6E66695C6E5C22246469616D6F6E645F75765C222076656E76202D2D7175696574202D2D72656C6F63617461626C65202D2D616C6C6F772D6578697374696E6720205C22246469616D6F6E645F76656E765C225C6E6469616D6F6E645F6C6F636B3D24286D6B74656D70295C6E636174203E5C22246469616D6F6E645F6C6F636B5C22203C3C27454E445F4F465F54455854275C6E7369783D3D312E31372E30205C5C5C6E202020202D2D686173683D7368613235363A343732316633393165643930353431666464616361623561636639343761613064336463376432376232653165386564613262653839373035383663333237345C6E454E445F4F465F544558545C6E5C22246469616D6F6E645F75765C222070697020696E7374616C6C20247B5049505F4E4F5F494E4445583A2B2D2D6E6F2D696E6465787D202D2D707974686F6E205C22246469616D6F6E645F76656E762F62696E2F707974686F6E5C22202D2D726571756972652D686173686573202D2D726571756972656D656E74205C22246469616D6F6E645F6C6F636B5C225C6E726D202D66205C22246469616D6F6E645F6C6F636B5C225C6E454E445F4F465F535445505C6E2F62696E2F7368202D6575203C3C27454E445F4F465F53544550275C6E23207661726961626C65733A20504154485C6E756D61736B203032325C6E6469616D6F6E645F736974653D247B6469616D6F6E645F736974653A2D2F6D6E747D5C6E6469616D6F6E645F76656E763D247B6469616D6F6E645F76656E763A2D2F6F70742F76656E767D5C6E504154483D24504154483A246469616D6F6E645F736974655C6E6578706F727420484F4D453D5C22247B484F4D453A2D2F726F6F747D5C225C6E5B2021202D72205C22246469616D6F6E645F736974652F736974652E656E765C22205D207C7C202E205C22246469616D6F6E645F736974652F736974652E656E765C225C6E5B202D7A205C22247B6469616D6F6E645F626172653A2D7D5C22205D207C7C206578697420305C6E6D6B646972202D70202F2E73696E67756C61726974792E642F656E765C6E636174203E2F2E73696E67756C61726974792E642F656E762F39312D6469616D6F6E642E7368203C3C27454E445F4F465F54455854275C6E6578706F7274205649525455414C5F454E563D2F6F70742F76656E7620504154483D5C222F6F70742F76656E762F62696E3A247B504154483A2D2F7573722F6C6F63616C2F7362696E3A2F7573722F6C6F63616C2F62696E3A2F7573722F7362696E3A2F7573722F62696E3A2F7362696E3A2F62696E7D5C225C6E454E445F4F465F544558545C6E5B202D65202F2E73696E67756C61726974792E642F656E762F39392D626173652E7368205D207C7C203A203E2F2E73696E67756C61726974792E642F656E762F39392D626173652E73685C6E6D6B646972202D70202F63685C6E636174203E3E2F63682F656E7669726F6E6D656E74203C3C27454E445F4F465F54455854275C6E5649525455414C5F454E563D2F6F70742F76656E765C6E454E445F4F465F544558545C6E454E445F4F465F535445505C6E227D0A7B226576656E74223A2022636163686564222C202273746570223A202262617365222C20226174223A20313739343938313730302E373936313135362C20226C6F675F66726F6D223A203239352C20226C6F675F746F223A203334367D0A7B226576656E74223A202273746172746564222C202273746570223A2022707974686F6E222C20226174223A20313739343938313730302E373936353136322C20226C6F675F66726F6D223A203334367D0A7B226576656E74223A2022656E646564222C202273746570223A2022707974686F6E222C20226174223A20313739343938313730332E323935393437382C2022657869745F636F6465223A20302C20227365636F6E6473223A20322E3439392C20226C6F675F66726F6D223A203334362C20226C6F675F746F223A203537367D0A7B226576656E74223A202273746172746564222C202273746570223A20227661726961626C6573222C20226174223A20313739343938313730332E3239363332392C20226C6F675F66726F6D223A203537367D0A7B226576656E74223A2022656E646564222C202273746570223A20227661726961626C6573222C20226174223A20313739343938313730332E3330363031392C2022657869745F636F6465223A20302C20227365636F6E6473223A20302E30312C20226C6F675F66726F6D223A203537362C20226C6F675F746F223A203539367D0A7B226576656E74223A202273746172746564222C202273746570223A20227061636B222C20226174223A20313739343938313730332E333036313032382C20226C6F675F66726F6D223A203539367D0A7B226576656E74223A2022656E646564222C202273746570223A20227061636B222C20226174223A20313739343938313730332E333238343734352C2022657869745F636F6465223A20302C20227365636F6E6473223A20302E3032322C20226C6F675F66726F6D223A203539362C20226C6F675F746F223A203631357D0A7B226576656E74223A2022696D616765222C2022726575736564223A2066616C73652C20227265636F7264223A207B226964656E74697479223A20227368613235363A61643032623639373637613261626561353366623432336131656238313431626638646566373361613135613936323636643530393364613332383437363766222C2022666F726D6174223A202276656E76222C202272756E74696D65223A202276656E76222C2022736861323536223A202231383163633838363135326363643964653734363266336334666564313438373338386235616632373338373361383130323238373661636361306132663365222C202273697A65223A2036353737392C2022706C6174666F726D223A20226C696E75782F616D643634222C202266696C65223A20222F746D702F64722D6E39726770355F632F6167656E742F776F726B2F696D616765732F76656E76732F616430326236393736376132616265613533666234323361222C202262617365223A207B227265666572656E6365223A2022222C2022646967657374223A2022707974686F6E2D332E3131227D2C2022707974686F6E223A2022332E31312E37222C20227061636B61676573223A207B2273797374656D223A207B7D2C2022707974686F6E223A207B22736978223A2022312E31372E30227D7D2C20227661726961626C6573223A207B225649525455414C5F454E56223A20222F746D702F64722D6E39726770355F632F6167656E742F776F726B2F696D616765732F76656E76732F6164303262363937363761326162656135336662343233612F76656E76227D2C20226C6162656C73223A207B226F66223A20226C616E646564227D2C202270617468223A205B222F746D702F64722D6E39726770355F632F6167656E742F776F726B2F696D616765732F76656E76732F6164303262363937363761326162656135336662343233612F76656E762F62696E225D2C20226275696C74223A207B226174223A20313739343938313730332E333236353336372C20227365636F6E6473223A20322E3631312C202277686F6C655F7365636F6E6473223A20322E3631312C2022686F7374223A2022766D222C202275736572223A2022726F6F74222C20226275696C64223A202261766561726D68746A35653733227D2C202273746174223A207B7D2C20226E6174697665223A2022222C2022736861726564223A2066616C73652C202276657273696F6E223A20317D2C2022726563697065223A207B22656E7669726F6E6D656E74223A207B22726571756972656D656E7473223A205B227369783D3D312E31372E30225D2C20226C6162656C73223A207B226F66223A20226C616E646564227D7D2C2022626173655F646967657374223A2022707974686F6E2D332E3131222C20226C6F636B223A20227369783D3D312E31372E30205C5C5C6E202020202D2D686173683D7368613235363A343732316633393165643930353431666464616361623561636639343761613064336463376432376232653165386564613262653839373035383663333237345C6E222C2022706C6174666F726D223A20226C696E75782F616D643634227D7D0A');
INSERT INTO "log_chunks" VALUES(9,0,'local',8,X'747261696E65640A');
CREATE TABLE log_streams (
	id INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	attempt VARCHAR(64) NOT NULL, 
	run INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	stream VARCHAR(16) NOT NULL, 
	size BIGINT NOT NULL, 
	partial BLOB NOT NULL, 
	bad_lines INTEGER NOT NULL, 
	CONSTRAINT pk_log_streams PRIMARY KEY (id), 
	CONSTRAINT fk_log_streams_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_log_streams_task FOREIGN KEY(task) REFERENCES tasks (id), 
	CONSTRAINT uq_log_streams_task_attempt_run_rank_stream UNIQUE (task, attempt, run, rank, stream)
);
INSERT INTO "log_streams" VALUES(1,'local','tnxqx5qtvxyjc','av7hjqc2a6gh7',1,0,'stdout',8,X'',0);
INSERT INTO "log_streams" VALUES(2,'local','tkckjmjwm5z5j','ay2xqyrrzg9sd',1,0,'stdout',8,X'',0);
INSERT INTO "log_streams" VALUES(3,'local','tnxqx5qtvxyjc','av7hjqc2a6gh7',1,0,'metrics',90,X'',0);
INSERT INTO "log_streams" VALUES(4,'local','tkckjmjwm5z5j','ay2xqyrrzg9sd',1,0,'metrics',90,X'',0);
INSERT INTO "log_streams" VALUES(5,'local','tyxwm2n9c85ru','amfefzwuzbder',1,0,'stdout',8,X'',0);
INSERT INTO "log_streams" VALUES(6,'local','tyxwm2n9c85ru','amfefzwuzbder',1,0,'metrics',90,X'',0);
INSERT INTO "log_streams" VALUES(7,'local','tdvtfcjyjxrkc','avearmhtj5e73',1,0,'stdout',755,X'',0);
INSERT INTO "log_streams" VALUES(8,'local','tdvtfcjyjxrkc','avearmhtj5e73',1,0,'steps',4712,X'',0);
INSERT INTO "log_streams" VALUES(9,'local','tyxwm2n9c85ru','a49g3yfk6tjv8',1,0,'stdout',8,X'',0);
INSERT INTO "log_streams" VALUES(10,'local','tyxwm2n9c85ru','a49g3yfk6tjv8',1,0,'metrics',90,X'',0);
CREATE TABLE members (
	project VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	role VARCHAR(16) NOT NULL, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_members PRIMARY KEY (project, owner), 
	CONSTRAINT fk_members_project FOREIGN KEY(project) REFERENCES projects (id), 
	CONSTRAINT fk_members_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "members" VALUES('ppxf8dgcp2zud','local','manager',1.79498169173256826407e+09);
CREATE TABLE metric_chunks (
	series INTEGER NOT NULL, 
	start BIGINT NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	length INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	CONSTRAINT pk_metric_chunks PRIMARY KEY (series, start), 
	CONSTRAINT fk_metric_chunks_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_metric_chunks_series FOREIGN KEY(series) REFERENCES metric_series (id)
);
INSERT INTO "metric_chunks" VALUES(1,0,'local',3,X'0000000000000000000000000000F03F0000000000000040000000000000F87F000000000000F87F000000000000F87F000000000000F03F000000000000E03F555555555555D53F');
INSERT INTO "metric_chunks" VALUES(2,0,'local',3,X'0000000000000000000000000000F03F0000000000000040000000000000F87F000000000000F87F000000000000F87F000000000000F03F000000000000E03F555555555555D53F');
INSERT INTO "metric_chunks" VALUES(3,0,'local',3,X'0000000000000000000000000000F03F0000000000000040000000000000F87F000000000000F87F000000000000F87F000000000000F03F000000000000E03F555555555555D53F');
INSERT INTO "metric_chunks" VALUES(4,0,'local',3,X'0000000000000000000000000000F03F0000000000000040000000000000F87F000000000000F87F000000000000F87F000000000000F03F000000000000E03F555555555555D53F');
CREATE TABLE metric_series (
	id INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	attempt VARCHAR(64) NOT NULL, 
	run INTEGER NOT NULL, 
	source VARCHAR(16) NOT NULL, 
	name TEXT NOT NULL, 
	count BIGINT NOT NULL, 
	stride BIGINT NOT NULL, 
	CONSTRAINT pk_metric_series PRIMARY KEY (id), 
	CONSTRAINT fk_metric_series_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT fk_metric_series_task FOREIGN KEY(task) REFERENCES tasks (id), 
	CONSTRAINT uq_metric_series_task_attempt_run_source_name UNIQUE (task, attempt, run, source, name)
);
INSERT INTO "metric_series" VALUES(1,'local','tnxqx5qtvxyjc','av7hjqc2a6gh7',1,'metrics','loss',3,1);
INSERT INTO "metric_series" VALUES(2,'local','tkckjmjwm5z5j','ay2xqyrrzg9sd',1,'metrics','loss',3,1);
INSERT INTO "metric_series" VALUES(3,'local','tyxwm2n9c85ru','amfefzwuzbder',1,'metrics','loss',3,1);
INSERT INTO "metric_series" VALUES(4,'local','tyxwm2n9c85ru','a49g3yfk6tjv8',1,'metrics','loss',3,1);
CREATE TABLE name_endings (
	owner VARCHAR(64) NOT NULL, 
	ending VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	CONSTRAINT pk_name_endings PRIMARY KEY (owner, ending, name), 
	CONSTRAINT fk_name_endings_owner FOREIGN KEY(owner) REFERENCES users (id)
)
 WITHOUT ROWID

;
INSERT INTO "name_endings" VALUES('local','ad','bad');
INSERT INTO "name_endings" VALUES('local','ain','chain');
INSERT INTO "name_endings" VALUES('local','aiting','waiting');
INSERT INTO "name_endings" VALUES('local','all','small');
INSERT INTO "name_endings" VALUES('local','bad','bad');
INSERT INTO "name_endings" VALUES('local','chain','chain');
INSERT INTO "name_endings" VALUES('local','d','bad');
INSERT INTO "name_endings" VALUES('local','d','good');
INSERT INTO "name_endings" VALUES('local','g','waiting');
INSERT INTO "name_endings" VALUES('local','good','good');
INSERT INTO "name_endings" VALUES('local','hain','chain');
INSERT INTO "name_endings" VALUES('local','in','chain');
INSERT INTO "name_endings" VALUES('local','ing','waiting');
INSERT INTO "name_endings" VALUES('local','iting','waiting');
INSERT INTO "name_endings" VALUES('local','l','small');
INSERT INTO "name_endings" VALUES('local','ll','small');
INSERT INTO "name_endings" VALUES('local','mall','small');
INSERT INTO "name_endings" VALUES('local','n','chain');
INSERT INTO "name_endings" VALUES('local','ng','waiting');
INSERT INTO "name_endings" VALUES('local','od','good');
INSERT INTO "name_endings" VALUES('local','ood','good');
INSERT INTO "name_endings" VALUES('local','small','small');
INSERT INTO "name_endings" VALUES('local','ting','waiting');
INSERT INTO "name_endings" VALUES('local','waiting','waiting');
CREATE TABLE notifications (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	"key" TEXT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	title TEXT NOT NULL, 
	text TEXT NOT NULL, 
	task VARCHAR(64) NOT NULL, 
	endpoint TEXT NOT NULL, 
	in_page BOOLEAN NOT NULL, 
	at DOUBLE NOT NULL, 
	read DOUBLE, 
	CONSTRAINT pk_notifications PRIMARY KEY (id), 
	CONSTRAINT fk_notifications_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_notifications_owner_key UNIQUE (owner, "key")
);
INSERT INTO "notifications" VALUES('nqvxgt65c4yxu','local','confirm:e3369wv7a6hbg:1794981683','confirm','root@vm wants to be your endpoint laptop','Confirm it if that is you: until then it can do nothing.','','laptop',1,1.79498168255918765065e+09,NULL);
INSERT INTO "notifications" VALUES('nkwhe8qzctkyu','local','tnxqx5qtvxyjc:ended','succeeded','good succeeded on laptop','It ran for 1 s.','tnxqx5qtvxyjc','laptop',1,1.79498169459269833565e+09,NULL);
INSERT INTO "notifications" VALUES('ndwc9vugpvd7m','local','tkckjmjwm5z5j:ended','failed','bad failed on laptop: the program ended with an error','It ended with exit code 3. It ran for 1 s.','tkckjmjwm5z5j','laptop',1,1.79498169519584536554e+09,NULL);
INSERT INTO "notifications" VALUES('nyaeh2ywwmzyz','local','tdvtfcjyjxrkc:ended','succeeded','small succeeded on laptop','It ran for 7 s.','tdvtfcjyjxrkc','laptop',1,1.79498170369563770296e+09,NULL);
INSERT INTO "notifications" VALUES('najbs6n6st96g','local','tyxwm2n9c85ru:ended','failed','chain failed on laptop: it asked to be continued more often than allowed','2 attempts were made, as many as `max_attempts` allows, and the last asked to be continued. It ran for 11 s.','tyxwm2n9c85ru','laptop',1,1.79498170657994890212e+09,NULL);
CREATE TABLE projects (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	title TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	archived DOUBLE, course JSON, endpoints JSON, 
	CONSTRAINT pk_projects PRIMARY KEY (id), 
	CONSTRAINT fk_projects_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_projects_owner_name UNIQUE (owner, name)
);
INSERT INTO "projects" VALUES('ppxf8dgcp2zud','local','vision','',1.7949816917271285057e+09,NULL,NULL,NULL);
CREATE TABLE relay_answers (
	n INTEGER NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	request VARCHAR(64) NOT NULL, 
	ok BOOLEAN NOT NULL, 
	more BOOLEAN NOT NULL, 
	body BLOB NOT NULL, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_relay_answers PRIMARY KEY (n), 
	CONSTRAINT fk_relay_answers_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE relay_requests (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	endpoint VARCHAR(64) NOT NULL, 
	body BLOB NOT NULL, 
	taken BOOLEAN NOT NULL, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_relay_requests PRIMARY KEY (id), 
	CONSTRAINT fk_relay_requests_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE scales (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	message TEXT NOT NULL, 
	job VARCHAR(64) NOT NULL, 
	for_task VARCHAR(64) NOT NULL, 
	endpoint VARCHAR(64) NOT NULL, 
	endpoint_name TEXT NOT NULL, 
	fits VARCHAR(80) NOT NULL, 
	wanted JSON NOT NULL, 
	probes JSON NOT NULL, 
	result JSON NOT NULL, 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, 
	ended DOUBLE, 
	version INTEGER NOT NULL, 
	CONSTRAINT pk_scales PRIMARY KEY (id), 
	CONSTRAINT fk_scales_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE sessions (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	before_hash VARCHAR(64), 
	before_until DOUBLE NOT NULL, 
	created DOUBLE NOT NULL, 
	renewed DOUBLE NOT NULL, 
	seen DOUBLE NOT NULL, 
	expires DOUBLE NOT NULL, 
	signed_in DOUBLE NOT NULL, 
	mfa BOOLEAN NOT NULL, 
	provider VARCHAR(64) NOT NULL, 
	id_token TEXT NOT NULL, 
	address TEXT NOT NULL, 
	browser TEXT NOT NULL, maker VARCHAR(64) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (id), 
	CONSTRAINT fk_sessions_owner FOREIGN KEY(owner) REFERENCES users (id), 
	CONSTRAINT uq_sessions_hash UNIQUE (hash), 
	CONSTRAINT uq_sessions_before_hash UNIQUE (before_hash)
);
CREATE TABLE settings (
	owner VARCHAR(64) NOT NULL, 
	name VARCHAR(32) NOT NULL, 
	value JSON NOT NULL, 
	CONSTRAINT pk_settings PRIMARY KEY (owner, name), 
	CONSTRAINT fk_settings_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE shares (
	kind VARCHAR(16) NOT NULL, 
	thing VARCHAR(64) NOT NULL, 
	with_kind VARCHAR(16) NOT NULL, 
	with_id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_shares PRIMARY KEY (kind, thing, with_kind, with_id), 
	CONSTRAINT fk_shares_owner FOREIGN KEY(owner) REFERENCES users (id)
);
CREATE TABLE streams (
	owner VARCHAR(64) NOT NULL, 
	last BIGINT NOT NULL, 
	CONSTRAINT pk_streams PRIMARY KEY (owner), 
	CONSTRAINT fk_streams_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "streams" VALUES('local',51);
INSERT INTO "streams" VALUES('u-grace',0);
CREATE TABLE tasks (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	job VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	endpoint VARCHAR(64) NOT NULL, 
	endpoint_name TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	phase VARCHAR(24) NOT NULL, 
	native_state TEXT NOT NULL, 
	reason VARCHAR(32) NOT NULL, 
	message TEXT NOT NULL, 
	exit_code INTEGER, 
	signal INTEGER, 
	as_of DOUBLE NOT NULL, 
	cancel_requested BOOLEAN NOT NULL, 
	attempt VARCHAR(64) NOT NULL, 
	attempts JSON NOT NULL, 
	node TEXT NOT NULL, 
	run_dir TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	updated DOUBLE NOT NULL, 
	started DOUBLE, 
	ended DOUBLE, 
	retry_of VARCHAR(64), 
	"order" JSON NOT NULL, 
	digest VARCHAR(80) NOT NULL, 
	code JSON, 
	untold BOOLEAN NOT NULL, 
	history INTEGER NOT NULL, 
	version INTEGER NOT NULL, cleaned DOUBLE, project VARCHAR(64) DEFAULT '' NOT NULL, awaits VARCHAR(64), chain JSON, prediction JSON, node_seconds DOUBLE DEFAULT '0' NOT NULL, bytes BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_tasks PRIMARY KEY (id), 
	CONSTRAINT fk_tasks_job FOREIGN KEY(job) REFERENCES jobs (id), 
	CONSTRAINT fk_tasks_owner FOREIGN KEY(owner) REFERENCES users (id)
);
INSERT INTO "tasks" VALUES('tnxqx5qtvxyjc','local','j6qftkunpdck8','good','run','e3369wv7a6hbg','laptop','succeeded','','','','',0,NULL,1.79498169459060454367e+09,0,'av7hjqc2a6gh7','[{"id":"av7hjqc2a6gh7","number":1,"native_id":"66086be3676ea-dd7b2a","run":1,"runs":[{"run":1,"node":"vm","started":1794981693.751061,"exit_code":0,"ended":1794981694.5906045}],"exit_code":0,"exit_run":1,"reached":{"checkpoint":"","modified":0.0,"step":-1},"queued":1794981693.5352707,"arrived":null,"started":1794981693.751061,"ended":1794981694.5906045,"reason":""}]','vm','/recorded/agent-work/tasks/tnxqx5qtvxyjc',1.79498169199641132353e+09,1.79498169459143161776e+09,1.79498169375106096266e+09,1.79498169459060454367e+09,NULL,'{"name":"good","command":"","argv":["python3","train.py","0"],"params":{},"code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""}','sha256:11c43cf291e25c3417cd9b6a8231882c799b0680eaefdf8a5743478f25911d59','{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":247}',0,6,6,NULL,'',NULL,'{"budget":null,"allowed":null,"follow_up":"","reached":{"checkpoint":"","modified":0.0,"step":-1},"stalled":0,"ended":0}','null',8.39543581008911132812e-01,0);
INSERT INTO "tasks" VALUES('tkckjmjwm5z5j','local','jsmp48pzgsnu2','bad','run','e3369wv7a6hbg','laptop','failed','','FAILED','exit-code','it ended with exit code 3',3,NULL,1.79498169517262911795e+09,0,'ay2xqyrrzg9sd','[{"id":"ay2xqyrrzg9sd","number":1,"native_id":"66086be388f75-d08d3e","run":1,"runs":[{"run":1,"node":"vm","started":1794981693.8088942,"exit_code":3,"ended":1794981694.8386192}],"exit_code":3,"exit_run":1,"reached":{"checkpoint":"","modified":0.0,"step":-1},"queued":1794981693.673197,"arrived":null,"started":1794981693.8088942,"ended":1794981695.172629,"reason":"exit-code"}]','vm','/recorded/agent-work/tasks/tkckjmjwm5z5j',1.79498169205487942694e+09,1.79498169519385790829e+09,1.7949816938088941574e+09,1.79498169517262911795e+09,NULL,'{"name":"bad","command":"","argv":["python3","train.py","3"],"params":{},"code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""}','sha256:37884b5e30216f070799d937ef64596ed4caef889523591c5dda40585c0e953e','{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":247}',0,7,7,NULL,'',NULL,'{"budget":null,"allowed":null,"follow_up":"","reached":{"checkpoint":"","modified":0.0,"step":-1},"stalled":0,"ended":0}','null',1.36373496055603027343e+00,0);
INSERT INTO "tasks" VALUES('tyxwm2n9c85ru','local','jasw345sestj7','chain','run','e3369wv7a6hbg','laptop','failed','','FAILED','continue-limit','2 attempts were made, as many as `max_attempts` allows, and the last asked to be continued',75,NULL,1.7949817065667171478e+09,0,'a49g3yfk6tjv8','[{"id":"amfefzwuzbder","number":1,"native_id":"66086be3a402b-b4ff3e","run":1,"runs":[{"run":1,"node":"vm","started":1794981695.198829,"exit_code":75,"ended":1794981696.397234}],"exit_code":null,"exit_run":0,"reached":{"checkpoint":"","modified":0.0,"step":2},"queued":1794981693.75036,"arrived":null,"started":1794981695.198829,"ended":1794981696.397234,"reason":"exit-code"},{"id":"a49g3yfk6tjv8","number":2,"native_id":"66086be69a202-4f5a66","run":1,"runs":[{"run":1,"node":"vm","started":1794981704.2299373,"exit_code":75,"ended":1794981705.7591076}],"exit_code":75,"exit_run":1,"reached":{"checkpoint":"","modified":0.0,"step":2},"queued":1794981696.7824693,"arrived":null,"started":1794981704.2299373,"ended":1794981705.7591076,"reason":"continue-limit"}]','vm','/recorded/agent-work/tasks/tyxwm2n9c85ru',1.79498169206918978691e+09,1.79498170667677235602e+09,1.79498169519882893566e+09,1.79498170575910758967e+09,NULL,'{"name":"chain","command":"","argv":["python3","train.py","75"],"params":{},"code":{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","git_url":"","git_commit":""},"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":5,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"*.pt","lead_seconds":0,"max_attempts":2,"ahead":true},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""}','sha256:fca41fffacc1f616c8fda63e0ed8537ac2a31f89f76cba7f388ec00539eaa211','{"snapshot":"sha256:922ded2926aeb2ca1436e0ec9e772d363e4e36660e9337eb1be0d16f7a7440de","commit":"","dirty":false,"diff":"","left_out":[],"files":2,"bytes":247}',0,16,12,NULL,'',NULL,'{"budget":null,"allowed":null,"follow_up":"","reached":{"checkpoint":"","modified":0.0,"step":2},"stalled":1,"ended":1}','null',2.7275753021240234375e+00,0);
INSERT INTO "tasks" VALUES('tdvtfcjyjxrkc','local','jbucn92tndmn9','small','build','e3369wv7a6hbg','laptop','succeeded','','','','',0,NULL,1.79498170351533365253e+09,0,'avearmhtj5e73','[{"id":"avearmhtj5e73","number":1,"native_id":"66086be3b7ea2-bafdb6","run":1,"runs":[{"run":1,"node":"vm","started":1794981696.9888337,"exit_code":0,"ended":1794981703.5153337}],"exit_code":0,"exit_run":1,"reached":{"checkpoint":"","modified":0.0,"step":-1},"queued":1794981693.7803667,"arrived":null,"started":1794981696.9888337,"ended":1794981703.5153337,"reason":""}]','vm','/recorded/agent-work/tasks/tdvtfcjyjxrkc',1.79498169211305522922e+09,1.79498170368017792705e+09,1.79498169698883366582e+09,1.79498170351533365253e+09,NULL,'{"name":"small","command":"","argv":[],"params":{},"code":null,"environment":null,"image":null,"build":{"environment":{"requirements":["six==1.17.0"],"python":"","variables":{},"base":"","accelerator":"","system":[],"lock":"","inherit":false,"files":[],"commands":[],"test":"","labels":{"of":"landed"}},"runtime":"","base_digest":"","upgrade":false},"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":2,"memory_mb":0,"walltime_minutes":60,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75","preempted","node-lost","wall-time"],"pattern":"","lead_seconds":120,"max_attempts":5,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""}','sha256:aae28ea55dfd833f6051788dc916c6ddbaeb32a5f4e95d3d646a5c45c555f02c','null',0,7,7,NULL,'',NULL,'{"budget":null,"allowed":null,"follow_up":"","reached":{"checkpoint":"","modified":0.0,"step":-1},"stalled":0,"ended":0}','null',6.52649998664856,0);
INSERT INTO "tasks" VALUES('t86jty8abu9nq','local','jtvwkhef9urf9','waiting','run','es6hsf8nn86j8','nowhere','preparing','','','','',NULL,NULL,1.7949817067250874043e+09,0,'avw79mzd3bqdn','[{"id":"avw79mzd3bqdn","number":1,"native_id":"","run":0,"runs":[],"exit_code":null,"exit_run":0,"reached":{"checkpoint":"","modified":0.0,"step":-1},"queued":null,"arrived":null,"started":null,"ended":null,"reason":""}]','','',1.7949817067250874043e+09,1.7949817067250874043e+09,NULL,NULL,NULL,'{"name":"waiting","command":"true","argv":[],"params":{},"code":null,"environment":null,"image":null,"build":null,"data":{},"secrets":[],"resources":{"nodes":1,"gpus_per_node":0,"gpu_type":"","cpus_per_task":1,"memory_mb":0,"walltime_minutes":60,"tasks_per_node":1},"placement":{"partition":"","account":"","qos":"","reservation":"","constraint":"","options":{}},"resume":{"on":["exit-75"],"pattern":"","lead_seconds":120,"max_attempts":100,"ahead":0},"launch":{"kind":"single","starts_ranks":false,"hang_seconds":0},"budget":""}','sha256:a0c6d5f3f07d000b83bf6035ebeb3e51c1fc420f269e92bdda824623bcaa365f','null',0,1,1,NULL,'',NULL,'{"budget":null,"allowed":null}','null',0.0,0);
CREATE TABLE users (
	id VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	created DOUBLE NOT NULL, email TEXT DEFAULT '' NOT NULL, is_admin BOOLEAN DEFAULT 0 NOT NULL, disabled DOUBLE, seen DOUBLE, 
	CONSTRAINT pk_users PRIMARY KEY (id), 
	CONSTRAINT uq_users_name UNIQUE (name)
);
INSERT INTO "users" VALUES('local','root',1.79498167939456176756e+09,'',1,NULL,NULL);
INSERT INTO "users" VALUES('u-grace','Grace',1.79498169094569659225e+09,'',0,NULL,NULL);
CREATE INDEX ix_events_at ON events (at);
CREATE INDEX ix_commands_endpoint_state_seq ON commands (endpoint, state, seq);
CREATE INDEX ix_commands_task ON commands (task);
CREATE INDEX ix_endpoints_cluster_state ON endpoints (cluster, state);
CREATE INDEX ix_idempotency_created ON idempotency (created);
CREATE INDEX ix_jobs_owner_created_id ON jobs (owner, created, id);
CREATE INDEX ix_tasks_endpoint_state ON tasks (endpoint, state);
CREATE INDEX ix_tasks_job ON tasks (job);
CREATE INDEX ix_tasks_owner_kind_created_id ON tasks (owner, kind, created, id);
CREATE INDEX ix_tasks_owner_kind_endpoint_state_created_id ON tasks (owner, kind, endpoint, state, created, id);
CREATE INDEX ix_tasks_owner_kind_name_id ON tasks (owner, kind, name, id);
CREATE INDEX ix_tasks_owner_kind_state_created_id ON tasks (owner, kind, state, created, id);
CREATE INDEX ix_tasks_owner_kind_updated_id ON tasks (owner, kind, updated, id);
CREATE INDEX ix_tasks_untold ON tasks (endpoint) WHERE untold;
CREATE INDEX ix_tasks_owner_kind_name_created_id ON tasks (owner, kind, name, created, id);
CREATE INDEX ix_relay_requests_endpoint_taken ON relay_requests (endpoint, taken);
CREATE INDEX ix_relay_answers_request_n ON relay_answers (request, n);
CREATE INDEX ix_tasks_owner_kind_ended_id ON tasks (owner, kind, ended, id);
CREATE INDEX ix_notifications_owner_at_id ON notifications (owner, at, id);
CREATE INDEX ix_deliveries_notification ON deliveries (notification);
CREATE INDEX ix_deliveries_state_due ON deliveries (state, due);
CREATE INDEX ix_sessions_owner_created ON sessions (owner, created);
CREATE INDEX ix_identities_owner ON identities (owner);
CREATE INDEX ix_invitations_owner_created ON invitations (owner, created);
CREATE INDEX ix_audit_owner_n ON audit (owner, n);
CREATE INDEX ix_audit_at ON audit (at);
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE INDEX ix_members_owner ON members (owner);
CREATE INDEX ix_shares_with_kind_with_id_kind ON shares (with_kind, with_id, kind);
CREATE INDEX ix_jobs_project_created_id ON jobs (project, created, id);
CREATE INDEX ix_tasks_project_kind_created_id ON tasks (project, kind, created, id);
CREATE INDEX ix_tasks_awaits ON tasks (awaits);
CREATE INDEX ix_images_owner_created_id ON images (owner, created, id);
CREATE INDEX ix_image_copies_owner_sha256 ON image_copies (owner, sha256);
CREATE INDEX ix_image_copies_endpoint ON image_copies (endpoint);
CREATE INDEX ix_image_wishes_build ON image_wishes (build);
CREATE INDEX ix_scales_owner_created_id ON scales (owner, created, id);
CREATE INDEX ix_scales_state ON scales (state);
CREATE INDEX ix_scales_owner_fits_created ON scales (owner, fits, created);
CREATE INDEX ix_tasks_held ON tasks (owner, kind, created, id) WHERE phase = 'held';
CREATE INDEX ix_tasks_project_updated ON tasks (project, updated);
CREATE INDEX ix_image_moves_owner_created_id ON image_moves (owner, created, id);
CREATE INDEX ix_image_moves_image ON image_moves (image);
COMMIT;
